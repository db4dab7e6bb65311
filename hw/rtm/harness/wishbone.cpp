// Wishbone: one access after the other.

#include <cstdio>
#include <cstdlib>

#include "bus.h"

std::vector<Response> carry_out(Board& board, const std::vector<Access>& accesses) {
  Vrtm& model = board.model;
  std::vector<Response> responses;
  for (unsigned index = 0; index < accesses.size(); ++index) {
    const Access& access = accesses[index];
    for (unsigned n = 0; n < access.address_delay(); ++n) board.clock();
    model.cyc_i = model.stb_i = 1;
    model.we_i = access.is_write;
    model.adr_i = access.address >> 2;
    model.sel_i = access.bytes;
    model.dat_i = access.data;
    model.eval();
    unsigned cycles = 1;
    for (; !model.ack_o; ++cycles) {
      if (cycles == kMostCycles) {
        std::fprintf(stderr, "no acknowledgement\n");
        std::exit(3);
      }
      board.clock();
    }
    const uint32_t data = access.is_write ? 0 : model.dat_o;
    responses.push_back({index, data, cycles, board.now, model.irq_o != 0});
    board.clock();
    model.cyc_i = model.stb_i = 0;
    model.eval();
  }
  return responses;
}
