// The host's side of the system-on-chip: loads a program, clocks the model until
// the program ends, and writes down what it said.
//
// Standard output is the serial line and nothing else. The exit code is the low
// byte of the program's, 123 if it asked for an address where nothing lies, 124 if
// the cycles ran out, 125 if the command was wrong.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "host_line.h"

#include "Vsoc.h"
#include "Vsoc__Dpi.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

constexpr int kNoAnswer = 123;
constexpr int kOutOfCycles = 124;
constexpr int kWrongCommand = 125;
constexpr int kResetCycles = 16;
// Whoever watches need not wait for a full buffer.
constexpr uint64_t kFlushCycles = 1u << 20;
// How often the host is looked at that is connected to the serial line.
constexpr uint64_t kLookCycles = 1u << 10;
constexpr size_t kRamBytes = 4u << 20;  // as in soc.sv
constexpr unsigned kHarts = HARTS;      // as the model was built

const char kUsage[] =
    "usage: soc IMAGE [options]\n"
    "  --ram-first N      cycles of a single or first word (1)\n"
    "  --ram-burst N      cycles of a word that follows in a burst (1)\n"
    "  --max-cycles N     give up after so many cycles (4000000000)\n"
    "  --argument N       what the argument register holds (0)\n"
    "  --input FILE       bytes for the serial line, each as soon as there is room; - is standard input\n"
    "  --input-at FILE    lines `CYCLE BYTE`, by cycle: each arrives at its cycle, wanted or not\n"
    "  --line ADDRESS     connect the serial line to a host while the program runs: listen at unix:PATH or\n"
    "                     tcp:HOST:PORT; its bytes arrive as soon as there is room\n"
    "  --probes FILE      write a line `CYCLE ID HART` for each store to the probe register, all decimal\n"
    "  --points FILE      write what can be seen from outside, see class Watch\n"
    "  --executed FILE    write address, cycle and hart, three words each, of what is executed outside user mode\n"
    "  --summary FILE     write `exit CODE`, `out-of-cycles` or `no-answer ADDRESS`, then `cycles N`\n"
    "  --waveform FILE    write a VCD file (models built with --trace)\n"
    "  --waveform-from N, --waveform-to N    only these cycles\n";

// The program as words; the RAM asks for them before the first clock.
std::vector<uint32_t> program;

struct Arrival {
  uint64_t cycle;
  uint8_t byte;
};

struct Options {
  std::string executed, image, input, input_at, line, points, probes, summary, waveform;
  unsigned ram_first = 1, ram_burst = 1;
  uint32_t argument = 0;
  uint64_t max_cycles = 4'000'000'000u, waveform_from = 0, waveform_to = UINT64_MAX;
};

uint64_t number(const std::string& text, uint64_t least, uint64_t most) {
  size_t used = 0;
  uint64_t value = 0;
  try {
    value = std::stoull(text, &used, 0);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (text.empty() || text[0] == '-' || used != text.size() || value < least || value > most)
    throw std::runtime_error("`" + text + "` is not a number between " + std::to_string(least) +
                             " and " + std::to_string(most));
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      if (!options.image.empty()) throw std::runtime_error("two images: " + name);
      options.image = name;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--ram-first") options.ram_first = number(value, 1, 255);
    else if (name == "--ram-burst") options.ram_burst = number(value, 1, 255);
    else if (name == "--max-cycles") options.max_cycles = number(value, 1, UINT64_MAX);
    else if (name == "--argument") options.argument = number(value, 0, UINT32_MAX);
    else if (name == "--input") options.input = value;
    else if (name == "--input-at") options.input_at = value;
    else if (name == "--line") options.line = value;
    else if (name == "--executed") options.executed = value;
    else if (name == "--points") options.points = value;
    else if (name == "--probes") options.probes = value;
    else if (name == "--summary") options.summary = value;
    else if (name == "--waveform") options.waveform = value;
    else if (name == "--waveform-from") options.waveform_from = number(value, 0, UINT64_MAX);
    else if (name == "--waveform-to") options.waveform_to = number(value, 0, UINT64_MAX);
    else throw std::runtime_error("unknown option " + name);
  }
  if (options.image.empty()) throw std::runtime_error("no image");
  if (!options.input.empty() + !options.input_at.empty() + !options.line.empty() > 1)
    throw std::runtime_error("--input, --input-at and --line exclude each other");
#if !VM_TRACE
  if (!options.waveform.empty())
    throw std::runtime_error("this model was built without --trace: it writes no waveform");
#endif
  return options;
}

std::vector<uint8_t> read_bytes(const std::string& path) {
  std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Arrival> read_arrivals(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Arrival> arrivals;
  std::string cycle, byte;
  while (file >> cycle >> byte) {
    const Arrival next{number(cycle, 1, UINT64_MAX), static_cast<uint8_t>(number(byte, 0, 255))};
    if (!arrivals.empty() && next.cycle <= arrivals.back().cycle)
      throw std::runtime_error(path + ": one byte a cycle, and cycles rise");
    arrivals.push_back(next);
  }
  return arrivals;
}

struct CloseFile {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

File create(const std::string& path) {
  if (path.empty()) return nullptr;
  File file(fopen(path.c_str(), "w"));
  if (!file) throw std::runtime_error("cannot write " + path);
  return file;
}

// The serial line: what arrives, in order, and what is sent.
class Line {
 public:
  explicit Line(const Options& options) {
    if (!options.input_at.empty()) arrivals_ = read_arrivals(options.input_at);
    if (!options.input.empty())
      for (uint8_t byte : read_bytes(options.input)) arrivals_.push_back({0, byte});
    patient_ = !options.input.empty();
    if (!options.line.empty()) host_ = std::make_unique<HostLine>(options.line);
  }

  // Sets the inputs for the clock edge that begins `cycle`.
  void drive(Vsoc& model, uint64_t cycle) {
    if (host_) return drive_from_host(model, cycle);
    const bool due = next_ < arrivals_.size() && cycle >= arrivals_[next_].cycle &&
                     !(patient_ && model.rx_full_o);
    model.rx_valid_i = due;
    if (due) model.rx_data_i = arrivals_[next_++].byte;
  }

  // Hands on a byte that the machine has sent.
  void send(uint8_t byte) {
    putchar(byte);
    if (host_) host_->send(byte);
  }

  // Nothing more is sent.
  void end() {
    fflush(stdout);
    if (host_) host_->look();
  }

 private:
  void drive_from_host(Vsoc& model, uint64_t cycle) {
    if (cycle % kLookCycles == 0) host_->look();
    model.rx_valid_i = host_->waits() && !model.rx_full_o;
    if (model.rx_valid_i) model.rx_data_i = host_->take();
  }

  std::unique_ptr<HostLine> host_;
  std::vector<Arrival> arrivals_;
  size_t next_ = 0;
  bool patient_ = false;
};

// The word of a hart in a port that has one for each, whatever type the port has.
uint32_t word_of(IData words, unsigned) { return words; }
uint32_t word_of(QData words, unsigned hart) { return static_cast<uint32_t>(words >> (32 * hart)); }
template <std::size_t Words>
uint32_t word_of(const VlWide<Words>& words, unsigned hart) {
  return words[hart];
}

// Watches the harts from outside, so that nothing is added to what is measured.
//
// Lines `KIND CYCLE COUNT VALUE HART`, COUNT instructions retired by the hart so far:
//   mark   user mode retired `slti x0, x0, VALUE`, which does nothing
//   enter  another mode follows user mode; cycle, count and address of the last instruction before it
//   leave  the first instruction of user mode after it has retired; its address
//   wait   `wfi` has retired outside user mode; 0
//   timer, software, line   the line of the timer, the software interrupt, the generator has risen; 0
class Watch {
 public:
  explicit Watch(const Options& options)
      : points_(create(options.points)), executed_(create(options.executed)) {}

  void look(const Vsoc& model) {
    if (!points_) return;  // the other file goes with it
    const uint64_t cycle = model.cycle_o;
    if (model.retired_valid_o)
      for (unsigned hart = 0; hart < kHarts; ++hart)
        if (model.retired_valid_o >> hart & 1) retire(model, cycle, hart);
    look_at(timer_, model.timer_line_o, "timer", cycle);
    look_at(software_, model.software_line_o, "software", cycle);
    look_at(line_, model.generator_line_o, "line", cycle);
  }

 private:
  static constexpr uint32_t kMark = 0x2013, kMarkMask = 0xfffff, kWait = 0x10500073;

  struct Hart {
    bool user = false;
    uint64_t count = 0, last_cycle = 0;
    uint32_t last_pc = 0;
  };

  void retire(const Vsoc& model, uint64_t cycle, unsigned number) {
    Hart& hart = harts_[number];
    const uint32_t pc = word_of(model.retired_pc_o, number);
    const uint32_t word = word_of(model.retired_word_o, number);
    const bool user = model.retired_user_o >> number & 1;
    ++hart.count;
    if (user && !hart.user) write("leave", cycle, hart.count, pc, number);
    if (!user && hart.user) write("enter", hart.last_cycle, hart.count - 1, hart.last_pc, number);
    if (user && (word & kMarkMask) == kMark) write("mark", cycle, hart.count, word >> 20, number);
    if (!user && word == kWait) write("wait", cycle, hart.count, 0, number);
    if (!user && executed_) {
      const uint32_t record[] = {pc, static_cast<uint32_t>(cycle), number};
      fwrite(record, sizeof record, 1, executed_.get());
    }
    hart.user = user;
    hart.last_cycle = cycle;
    hart.last_pc = pc;
  }

  // A line of each hart, a bit each.
  void look_at(unsigned& before, unsigned now, const char* kind, uint64_t cycle) {
    const unsigned rises = now & ~before;
    before = now;
    if (!rises) return;
    for (unsigned hart = 0; hart < kHarts; ++hart)
      if (rises >> hart & 1) write(kind, cycle, harts_[hart].count, 0, hart);
  }

  void write(const char* kind, uint64_t cycle, uint64_t count, uint32_t value, unsigned hart) {
    fprintf(points_.get(), "%s %llu %llu %u %u\n", kind, static_cast<unsigned long long>(cycle),
            static_cast<unsigned long long>(count), value, hart);
  }

  File points_, executed_;
  unsigned timer_ = 0, software_ = 0, line_ = 0;
  std::array<Hart, kHarts> harts_;
};

class Machine {
 public:
  explicit Machine(const Options& options)
      : options_(options), line_(options), watch_(options), probes_(create(options.probes)),
        summary_(create(options.summary)) {
    context_.randReset(0);
#if VM_TRACE
    if (!options.waveform.empty()) context_.traceEverOn(true);
#endif
    model_ = std::make_unique<Vsoc>(&context_);
    model_->ram_first_i = options.ram_first;
    model_->ram_burst_i = options.ram_burst;
    model_->argument_i = options.argument;
    load(read_bytes(options.image));
#if VM_TRACE
    if (!options.waveform.empty()) {
      waveform_ = std::make_unique<VerilatedVcdC>();
      model_->trace(waveform_.get(), 99);
      waveform_->open(options.waveform.c_str());
    }
#endif
  }

  int run() {
    model_->rst_i = 1;
    for (int i = 0; i < kResetCycles; ++i) clock();
    model_->rst_i = 0;
    while (!model_->exit_valid_o && !model_->error_valid_o && model_->cycle_o < options_.max_cycles) {
      line_.drive(*model_, model_->cycle_o + 1);
      clock();
      listen();
    }
    line_.end();
    const int status = conclude();
#if VM_TRACE
    if (waveform_) waveform_->close();
#endif
    return status;
  }

 private:
  void load(const std::vector<uint8_t>& image) {
    if (image.size() > kRamBytes)
      throw std::runtime_error(options_.image + " has " + std::to_string(image.size()) +
                               " bytes, the RAM " + std::to_string(kRamBytes));
    program.assign((image.size() + 3) / 4, 0);
    for (size_t i = 0; i < image.size(); ++i)
      program[i / 4] |= static_cast<uint32_t>(image[i]) << (8 * (i % 4));
  }

  void clock() {
    model_->clk_i = 0;
    model_->eval();
    dump(0);
    model_->clk_i = 1;
    model_->eval();
    dump(5);
  }

  // A cycle is 10 ns.
  void dump([[maybe_unused]] unsigned nanoseconds) {
#if VM_TRACE
    const uint64_t cycle = model_->cycle_o;
    if (waveform_ && !model_->rst_i && cycle >= options_.waveform_from && cycle < options_.waveform_to)
      waveform_->dump((cycle + (nanoseconds == 0)) * 10 + nanoseconds);
#endif
  }

  void listen() {
    const auto cycle = static_cast<unsigned long long>(model_->cycle_o);
    watch_.look(*model_);
    if (model_->tx_valid_o) line_.send(model_->tx_data_o);
    if (cycle % kFlushCycles == 0) fflush(stdout);
    if (model_->probe_valid_o && probes_)
      fprintf(probes_.get(), "%llu %u %u\n", cycle, model_->probe_id_o, model_->probe_hart_o);
  }

  // How the program ended, in the summary and as this program's exit code.
  int conclude() {
    std::string end = "out-of-cycles";
    int status = kOutOfCycles;
    if (model_->exit_valid_o) {
      end = "exit " + std::to_string(model_->exit_code_o);
      status = model_->exit_code_o & 0xff;
    } else if (model_->error_valid_o) {
      end = "no-answer " + std::to_string(model_->error_address_o);
      status = kNoAnswer;
    }
    if (summary_)
      fprintf(summary_.get(), "%s\ncycles %llu\n", end.c_str(),
              static_cast<unsigned long long>(model_->cycle_o));
    return status;
  }

  const Options& options_;
  VerilatedContext context_;
  std::unique_ptr<Vsoc> model_;
  Line line_;
  Watch watch_;
  File probes_, summary_;
#if VM_TRACE
  std::unique_ptr<VerilatedVcdC> waveform_;
#endif
};

}  // namespace

// Called by ram.sv.
unsigned int program_word(unsigned int index) { return index < program.size() ? program[index] : 0; }

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    return Machine(options).run();
  } catch (const std::exception& error) {
    fprintf(stderr, "soc: %s\n%s", error.what(), kUsage);
    return kWrongCommand;
  }
}
