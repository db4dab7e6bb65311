// The task manager on its Wishbone bus, driven line by line.
//
//   r ADDRESS            reads a word
//   w ADDRESS BYTES DATA writes the bytes of a word whose bit is set
//   i CYCLES             leaves the bus alone
//
// Numbers are hexadecimal. Each line is answered by `DATA CYCLES IRQ`: what was read, after how
// many cycles it was acknowledged, and the interrupt line then.

#include <cstdint>
#include <cstdio>
#include <memory>

#include "Vrtm_wishbone.h"
#include "verilated.h"

namespace {

// Nothing takes as long.
constexpr unsigned kMostCycles = 1000;

void clock(Vrtm_wishbone& model) {
  model.clk_i = 1;
  model.eval();
  model.clk_i = 0;
  model.eval();
}

// Returns the cycles until the acknowledgement, itself counted; 0 if there is none.
unsigned access(Vrtm_wishbone& model, uint32_t& data) {
  model.cyc_i = model.stb_i = 1;
  unsigned cycles = 0;
  for (unsigned n = 1; n <= kMostCycles && cycles == 0; ++n) {
    model.eval();
    if (model.ack_o) {
      data = model.dat_o;
      cycles = n;
    }
    clock(model);
  }
  model.cyc_i = model.stb_i = 0;
  model.eval();
  return cycles;
}

}  // namespace

int main(int argc, char** argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  const auto model = std::make_unique<Vrtm_wishbone>(&context);
  model->clk_i = 0;
  model->rst_ni = 0;
  clock(*model);
  model->rst_ni = 1;
  model->eval();

  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    unsigned address = 0, bytes = 0, data = 0, count = 0;
    uint32_t read = 0;
    unsigned cycles = 0;
    if (std::sscanf(line, "r %x", &address) == 1) {
      model->we_i = 0;
      model->adr_i = address >> 2;
      model->sel_i = 0xF;
      cycles = access(*model, read);
    } else if (std::sscanf(line, "w %x %x %x", &address, &bytes, &data) == 3) {
      model->we_i = 1;
      model->adr_i = address >> 2;
      model->sel_i = bytes;
      model->dat_i = data;
      cycles = access(*model, read);
    } else if (std::sscanf(line, "i %x", &count) == 1) {
      for (; cycles < count; ++cycles) clock(*model);
    } else {
      return 2;
    }
    std::printf("%x %x %x\n", read, cycles, unsigned{model->irq_o});
    std::fflush(stdout);
  }
  return 0;
}
