// AXI4-Lite: each channel by itself, and what the task manager does on them checked.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bus.h"

namespace {

void expect(bool holds, const char* rule) {
  if (!holds) {
    std::fprintf(stderr, "AXI4-Lite: %s\n", rule);
    std::exit(3);
  }
}

// Offers requests, one after the other.
class Requests {
 public:
  using Delay = unsigned (Access::*)() const;

  explicit Requests(Delay delay) : delay_(delay) {}

  void add(const Access& access) { all_.push_back(&access); }

  // What is offered in this cycle, if any.
  const Access* offered() const {
    if (next_ == all_.size() || waited_ < (all_[next_]->*delay_)()) return nullptr;
    return all_[next_];
  }

  // The cycle is over, in which the slave was ready, or not.
  void end_cycle(bool ready, unsigned now) {
    if (next_ == all_.size()) return;
    if (offered() == nullptr) {
      ++waited_;
      return;
    }
    if (offered_since_.size() == next_) offered_since_.push_back(now);
    if (ready) {
      ++next_;
      waited_ = 0;
    }
  }

  unsigned accepted() const { return next_; }
  unsigned offered_since(unsigned index) const { return offered_since_[index]; }

 private:
  Delay delay_;
  std::vector<const Access*> all_;
  std::vector<unsigned> offered_since_;
  unsigned next_ = 0;
  unsigned waited_ = 0;
};

// Takes responses, after a while.
class Responses {
 public:
  void add(const Access& access, unsigned index) {
    delays_.push_back(access.response_delay());
    indices_.push_back(index);
  }

  bool is_done() const { return next_ == delays_.size(); }
  // The master is ready for a response that is there for so long.
  bool is_ready() const { return !is_done() && waited_ >= delays_[next_]; }
  unsigned taken() const { return next_; }
  unsigned index() const { return indices_[next_]; }
  // From when on a further one can be carried out.
  unsigned free_from() const { return free_from_; }

  // The cycle is over. Returns whether a response came in it.
  bool end_cycle(bool valid, uint32_t data, uint32_t code, unsigned accepted, unsigned now) {
    expect(!was_valid_ || valid, "a response is withdrawn");
    if (!valid) return false;
    expect(code == 0, "a response is not OKAY");
    expect(next_ < accepted, "a response comes without a request, or with it");
    expect(!was_valid_ || data == data_, "a response changes");
    const bool comes = !was_valid_;
    was_valid_ = !is_ready();
    data_ = data;
    if (was_valid_) {
      ++waited_;
    } else {
      ++next_;
      waited_ = 0;
      free_from_ = now + 1;
    }
    return comes;
  }

 private:
  std::vector<unsigned> delays_, indices_;
  unsigned next_ = 0;
  unsigned waited_ = 0;
  unsigned free_from_ = 0;
  bool was_valid_ = false;
  uint32_t data_ = 0;
};

}  // namespace

std::vector<Response> carry_out(Board& board, const std::vector<Access>& accesses) {
  Vrtm& model = board.model;
  Requests aw(&Access::address_delay), w(&Access::data_delay), ar(&Access::address_delay);
  Responses b, r;
  for (unsigned index = 0; index < accesses.size(); ++index) {
    const Access& access = accesses[index];
    if (access.is_write) {
      aw.add(access);
      w.add(access);
      b.add(access, index);
    } else {
      ar.add(access);
      r.add(access, index);
    }
  }

  std::vector<Response> all;
  const unsigned begin = board.now;
  unsigned finished = begin;  // the cycle after the last that was carried out
  while (!b.is_done() || !r.is_done()) {
    const unsigned now = board.now;
    expect(now - begin < kMostCycles * accesses.size(), "no response");
    const Access* const written = w.offered();
    model.awvalid_i = aw.offered() != nullptr;
    model.awaddr_i = aw.offered() ? aw.offered()->address : 0x1FFF;
    model.awprot_i = model.awaddr_i >> 2 & 7;
    model.wvalid_i = written != nullptr;
    model.wdata_i = written ? written->data : 0xFFFFFFFF;
    model.wstrb_i = written ? written->bytes : 0xF;
    model.arvalid_i = ar.offered() != nullptr;
    model.araddr_i = ar.offered() ? ar.offered()->address : 0x1FFF;
    model.arprot_i = model.araddr_i >> 2 & 7;
    model.bready_i = b.is_ready();
    model.rready_i = r.is_ready();
    model.eval();

    // (what a response is about is counted before it is taken)
    const unsigned write = b.taken(), read = r.taken();
    const unsigned write_free = b.free_from(), read_free = r.free_from();
    const unsigned accepted_writes = std::min(aw.accepted(), w.accepted());
    const unsigned accepted_reads = ar.accepted();
    const unsigned write_index = model.bvalid_o && !b.is_done() ? b.index() : 0;
    const unsigned read_index = model.rvalid_o && !r.is_done() ? r.index() : 0;
    if (b.end_cycle(model.bvalid_o, 0, model.bresp_o, accepted_writes, now)) {
      const unsigned offered = std::max(aw.offered_since(write), w.offered_since(write));
      const unsigned since = std::max({offered, write_free, finished});
      all.push_back({write_index, 0, now - since + 1, now, model.irq_o != 0});
      finished = now + 1;
    }
    if (r.end_cycle(model.rvalid_o, model.rdata_o, model.rresp_o, accepted_reads, now)) {
      expect(finished <= now, "two responses come at once");
      const unsigned since = std::max({ar.offered_since(read), read_free, finished});
      all.push_back({read_index, model.rdata_o, now - since + 1, now, model.irq_o != 0});
      finished = now + 1;
    }
    aw.end_cycle(model.awready_o, now);
    w.end_cycle(model.wready_o, now);
    ar.end_cycle(model.arready_o, now);
    board.clock();
  }
  model.awvalid_i = model.wvalid_i = model.arvalid_i = 0;
  model.bready_i = model.rready_i = 0;
  model.eval();
  return all;
}
