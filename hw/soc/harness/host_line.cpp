#include "host_line.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

// So many bytes are taken from the host at once, and kept for it.
constexpr size_t kPiece = 4096;
constexpr size_t kMost = 1u << 20;

[[noreturn]] void fail(const std::string& address, const std::string& why) {
  throw std::runtime_error("cannot listen at `" + address + "`: " + why);
}

[[noreturn]] void fail(const std::string& address) { fail(address, strerror(errno)); }

void bind_or_fail(int socket, const sockaddr* at, socklen_t length, const std::string& address) {
  if (bind(socket, at, length) != 0 || listen(socket, 1) != 0) fail(address);
}

int listen_unix(const std::string& path, const std::string& address) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof at.sun_path) fail(address, "give a path of up to 107 bytes");
  memcpy(at.sun_path, path.c_str(), path.size());
  // What a run before has left.
  struct stat old;
  if (lstat(path.c_str(), &old) == 0 && S_ISSOCK(old.st_mode)) unlink(path.c_str());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (listener < 0) fail(address);
  bind_or_fail(listener, reinterpret_cast<const sockaddr*>(&at), sizeof at, address);
  return listener;
}

int listen_tcp(const std::string& place, const std::string& address) {
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos) fail(address, "write tcp:HOST:PORT");
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  const std::string host = place.substr(0, colon), port = place.substr(colon + 1);
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) fail(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, freeaddrinfo);
  const int listener = socket(found->ai_family, SOCK_STREAM, 0);
  if (listener < 0) fail(address);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  bind_or_fail(listener, found->ai_addr, found->ai_addrlen, address);
  return listener;
}

void never_wait(int socket) { fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK); }

// Whether the call that failed may succeed later.
bool may_succeed() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

HostLine::HostLine(const std::string& address) {
  if (address.rfind("unix:", 0) == 0) {
    const std::string path = address.substr(5);
    listener_ = listen_unix(path, address);
    path_ = path;
  } else if (address.rfind("tcp:", 0) == 0) {
    listener_ = listen_tcp(address.substr(4), address);
  } else {
    fail(address, "write unix:PATH or tcp:HOST:PORT");
  }
  never_wait(listener_);
}

HostLine::~HostLine() {
  part();
  close(listener_);
  if (!path_.empty()) unlink(path_.c_str());
}

void HostLine::look() {
  if (host_ < 0) greet();
  flush();
  if (host_ >= 0 && !waits()) receive();
}

void HostLine::send(uint8_t byte) {
  if (host_ >= 0 && sending_.size() < kMost) sending_.push_back(byte);
}

void HostLine::greet() {
  host_ = accept(listener_, nullptr, nullptr);
  if (host_ < 0) return;
  never_wait(host_);
  const int yes = 1;
  setsockopt(host_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // none for unix
}

void HostLine::receive() {
  received_.resize(kPiece);
  next_ = 0;
  const ssize_t count = recv(host_, received_.data(), received_.size(), 0);
  received_.resize(count > 0 ? count : 0);
  if (count == 0 || (count < 0 && !may_succeed())) part();
}

void HostLine::flush() {
  if (host_ < 0 || sending_.empty()) return;
  const ssize_t count = ::send(host_, sending_.data(), sending_.size(), MSG_NOSIGNAL);
  if (count > 0) sending_.erase(sending_.begin(), sending_.begin() + count);
  if (count < 0 && !may_succeed()) part();
}

void HostLine::part() {
  if (host_ >= 0) close(host_);
  host_ = -1;
  sending_.clear();
}
