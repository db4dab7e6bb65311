/* A program in C++17: constructors and destructors of static objects, templates, virtual
 * functions, variables of functions that several threads need first, headers of the library. */

#include "check.h"
#include "table.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <time.h>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

static_assert(__cplusplus == 201703L);

/* Set when all static objects are there. */
static bool is_complete;

static int start()
{
    return table.at(3);
}

struct Gain {
    int value;
    explicit Gain(int from) : value(from) {}
    ~Gain() { std::printf("the gain of %d is destroyed\n", value); }
};

static Gain gain(start());
static std::string name = "a name that is too long to lie in the string itself";
static std::vector<int> numbers = { 5, 3, 8, 1 };
static thread_local int own = 7;

static struct Last {
    Last() { is_complete = gain.value == 9 && numbers.size() == 4; }
} last;

/* A thread of a higher priority than main's, which the system starts: it finds them there. */
static std::atomic<int> seen_early{ -1 };

extern "C" void early(void)
{
    seen_early = is_complete ? gain.value : 0;
}

static void objects()
{
    CHECK(is_complete && seen_early == 9);
    CHECK(gain.value == 9 && table.at(7) == 49);
    CHECK(standard_of_c() == 1);
    CHECK(own == 7 && name.size() == 51);
    tell("objects");
}

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

static int destroyed;

template <int SIDES> class Square final : public Shape {
public:
    explicit Square(double side) : side(side) {}
    ~Square() override { destroyed++; }
    double area() const override { return side * side * SIDES / 4; }

private:
    double side;
};

template <typename T> constexpr T largest(T first, T second)
{
    if constexpr (std::is_signed_v<T>)
        return first < second ? second : first;
    else
        return std::max(first, second);
}

static void classes()
{
    std::unique_ptr<Shape> shapes[] = { std::make_unique<Square<4>>(2.0),
                                        std::make_unique<Square<8>>(1.5) };
    CHECK(shapes[0]->area() == 4 && shapes[1]->area() == 4.5);
    shapes[0].reset();
    CHECK(destroyed == 1);
    CHECK(largest(3, 4) == 4 && largest(5u, 4u) == 5u);
    auto several = std::make_tuple(1, 2.5, std::string_view("three"));
    auto [one, two, three] = several;
    CHECK(one == 1 && two == 2.5 && three.substr(0, 2) == "th");
    tell("classes");
}

static void library()
{
    std::sort(numbers.begin(), numbers.end());
    CHECK(numbers == (std::vector<int>{ 1, 3, 5, 8 }));
    for (int i = 0; i < 100; i++)
        numbers.push_back(i);
    CHECK(numbers.size() == 104 && std::count(numbers.begin(), numbers.end(), 5) == 2);
    std::optional<int> maybe;
    CHECK(!maybe && maybe.value_or(3) == 3);
    std::variant<int, std::string> either = std::string("text");
    CHECK(std::holds_alternative<std::string>(either) && std::get<1>(either) == "text");
    std::function<int(int)> twice = [factor = numbers[1]](int value) { return factor * value; };
    CHECK(twice(4) == 12);
    CHECK(std::string("one") + " and " + std::to_string(2) == "one and 2");
    CHECK(std::chrono::milliseconds(std::chrono::seconds(2)).count() == 2000);
    std::atomic<std::uint8_t> small{ 250 };
    std::atomic<std::uint64_t> large{ 1ull << 40 };
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    CHECK(small.fetch_add(10) == 250 && small == 4);
    CHECK(++large == (1ull << 40) + 1 && !flag.test_and_set() && flag.test_and_set());
    alignas(64) static char aligned[64];
    CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
    struct alignas(64) Wide {
        char bytes[64];
    };
    auto wide = std::make_unique<Wide>();
    CHECK(reinterpret_cast<std::uintptr_t>(wide.get()) % 64 == 0);
    CHECK(new (std::nothrow) char[1 << 20] == nullptr);
    tell("library");
}

/* The first thread that comes sleeps in the constructor; the others wait for it. */
struct Slow {
    int made;
    Slow()
    {
        static int count;
        timespec pause = { 0, 3000000 };
        nanosleep(&pause, nullptr);
        made = ++count;
    }
};

static int slow()
{
    static Slow once;
    return once.made;
}

static std::mutex mutex;
static int sum;

static void *add(void *)
{
    int made = slow();
    std::lock_guard<std::mutex> guard(mutex);
    sum += made;
    own++;
    return nullptr;
}

static void threads()
{
    pthread_t all[3];
    for (pthread_t &thread : all)
        CHECK(pthread_create(&thread, nullptr, add, nullptr) == 0);
    for (pthread_t &thread : all)
        CHECK(pthread_join(thread, nullptr) == 0);
    CHECK(sum == 3 && own == 7);
    tell("threads");
}

int main()
{
    objects();
    classes();
    library();
    threads();
    std::atexit([] { std::puts("exit"); });
}
