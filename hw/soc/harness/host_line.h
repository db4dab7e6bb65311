// The host's end of the serial line while a program runs: a socket that one host
// at a time connects to.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Nothing here waits. What the host has sent stays with it until the machine
// takes bytes; what it does not take itself is lost, as on a wire, and so is what
// is sent while nobody is connected.
class HostLine {
 public:
  // Listens at `unix:PATH` or `tcp:HOST:PORT`; throws std::runtime_error.
  explicit HostLine(const std::string& address);
  ~HostLine();
  HostLine(const HostLine&) = delete;
  HostLine& operator=(const HostLine&) = delete;

  // Moves what there is in both directions: one or two system calls.
  void look();

  bool waits() const { return next_ < received_.size(); }
  uint8_t take() { return received_[next_++]; }
  void send(uint8_t byte);

 private:
  void greet();
  void receive();
  void flush();
  void part();

  int listener_ = -1, host_ = -1;
  std::string path_;
  std::vector<uint8_t> received_, sending_;
  size_t next_ = 0;
};
