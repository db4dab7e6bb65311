/* A process in C++ without a C library: constructors run before its first thread, in their
 * order; a C function may be one; a variable of a function is initialised once. */

#include <giornata.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

int order;

struct Late {
    int at;
    Late();
};
extern Late late;

namespace {

__attribute__((constructor(200))) void begin()
{
    gio_log("the first constructor");
    order = 1;
}

template <int N> struct Ring {
    std::array<int, N> values{};
    int at;
    Ring() : at(++order) { values.fill(N); }
    ~Ring() { gio_log("not destroyed: the process does not end"); }
};

__attribute__((init_priority(300))) Ring<3> ring;

class Stage {
public:
    virtual ~Stage() = default;
    virtual int run(int value) = 0;
};

class Twice final : public Stage {
public:
    int run(int value) override { return 2 * value; }
};

class Clamp final : public Stage {
public:
    int run(int value) override { return std::clamp(value, 0, 10); }
};

Twice twice;
Clamp clamp;
Stage *const stages[] = { &twice, &clamp };

std::atomic<int> entered;

struct Slow {
    int made;
    Slow()
    {
        made = ++entered;
        start_timer(5 * GIO_MILLISECOND);
    }
};

int slow()
{
    static Slow once;
    return once.made;
}

std::optional<int> run(int value)
{
    if (value < 0)
        return std::nullopt;
    for (Stage *stage : stages)
        value = stage->run(value);
    return value;
}

} // namespace

extern "C" void lead(void)
{
    gio_logf("order %d, ring %d, late %d", order, ring.at, late.at);
    gio_logf("run %d %d %d", run(3).value(), run(9).value(), run(-1).value_or(-7));
    auto [largest, sum] = std::pair{ *std::max_element(ring.values.begin(), ring.values.end()), 3 };
    gio_logf("largest %d, sum %d", largest, sum);
    gio_logf("lead: made %d", slow());
}

extern "C" void second(void)
{
    /* (lead sleeps in the constructor meanwhile) */
    gio_log("second");
    gio_logf("second: made %d, entered %d", slow(), entered.load());
}
