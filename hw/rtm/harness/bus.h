// A bus on which the task manager can be, as the harness drives it.

#ifndef BUS_H_
#define BUS_H_

#include <cstdint>
#include <vector>

#include "Vrtm.h"

// Nothing takes as many cycles.
constexpr unsigned kMostCycles = 1000;

struct Access {
  bool is_write;
  uint32_t address;
  uint32_t bytes;
  uint32_t data;
  // How the master holds things up, two bits each, in cycles: before the address, before what is
  // written, and before it takes the response.
  uint32_t delays;

  unsigned address_delay() const { return delays & 3; }
  unsigned data_delay() const { return delays >> 2 & 3; }
  unsigned response_delay() const { return delays >> 4 & 3; }
};

struct Response {
  // Which of the accesses.
  unsigned index;
  uint32_t data;
  // From when it could be carried out to its response, both counted.
  unsigned cycles;
  // The cycle of the response, and the interrupt line in it.
  unsigned at;
  bool interrupts;
};

struct Board {
  Vrtm model;
  // Cycles since the reset.
  unsigned now = 0;

  // Ends a cycle; the next one begins, with outputs settled.
  void clock() {
    model.clk_i = 1;
    model.eval();
    model.clk_i = 0;
    model.eval();
    ++now;
  }
};

// Carries out accesses, as many at once as the bus can; returns responses in the order in which
// they came. Exits if the task manager breaks a rule of the bus.
std::vector<Response> carry_out(Board& board, const std::vector<Access>& accesses);

#endif  // BUS_H_
