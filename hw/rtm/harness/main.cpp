// The task manager on its bus, driven line by line.
//
//   r ADDRESS DELAYS             reads a word
//   w ADDRESS BYTES DATA DELAYS  writes the bytes of a word whose bit is set
//   i CYCLES                     leaves the bus alone
//
// Numbers are hexadecimal; `DELAYS` are those of `bus.h`. Accesses on one line are carried out at
// once, as far as the bus can. Each is answered on one line, in the order in which the responses
// came, by `INDEX DATA CYCLES AT IRQ`: which of the line's accesses, what was read, how many cycles
// it took, the cycle of the response since the reset, and the interrupt line then; `i` by the same.
//
// If it is compiled for coverage, that is written at the end to the file that is its argument.

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bus.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

namespace {

struct Line {
  std::vector<Access> accesses;
  bool is_idle = false;
  unsigned idle = 0;
};

// Returns whether the text is a line as above.
bool parse(const std::string& text, Line& line) {
  std::istringstream words(text);
  words >> std::hex;
  std::string word;
  while (words >> word) {
    Access access{word == "w", 0, 0xF, 0, 0};
    if (word == "i") {
      line.is_idle = true;
      words >> line.idle;
    } else if (word == "r") {
      words >> access.address >> access.delays;
    } else if (word == "w") {
      words >> access.address >> access.bytes >> access.data >> access.delays;
    } else {
      return false;
    }
    if (!words) return false;
    if (word != "i") line.accesses.push_back(access);
  }
  return line.is_idle == line.accesses.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  // What has no reset begins with anything.
  Verilated::randReset(2);
  const auto board = std::make_unique<Board>();
  board->model.clk_i = 0;
  board->model.rst_ni = 0;
  board->model.eval();
  for (unsigned n = 0; n < 2; ++n) board->clock();
  board->model.rst_ni = 1;
  board->model.eval();
  board->now = 0;

  std::string text;
  while (std::getline(std::cin, text)) {
    Line line;
    if (!parse(text, line)) {
      std::fprintf(stderr, "this is no command: %s\n", text.c_str());
      return 2;
    }
    for (unsigned n = 0; n < line.idle; ++n) board->clock();
    std::vector<Response> responses = carry_out(*board, line.accesses);
    if (line.is_idle) responses.push_back({0, 0, line.idle, board->now, board->model.irq_o != 0});
    for (const Response& response : responses) {
      std::printf("%x %x %x %x %x ", response.index, response.data, response.cycles, response.at,
                  unsigned{response.interrupts});
    }
    std::printf("\n");
    std::fflush(stdout);
  }
#if VM_COVERAGE
  if (argc > 1) Verilated::threadContextp()->coveragep()->write(argv[1]);
#endif
  return 0;
}
