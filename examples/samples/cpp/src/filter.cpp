/* Two stages of a filter, made by a constructor before the first thread runs. */

#include <giornata.h>
#include <identifiers.h> /* SEMAPHORE_SAMPLES, and all else that system.toml names */

#include <algorithm>
#include <array>
#include <atomic>

namespace {

/* The mean of the last N values. */
template <std::size_t N> class Mean {
public:
    explicit Mean(int start) { values.fill(start); }

    int next(int value)
    {
        values[at++ % N] = value;
        int sum = 0;
        for (int each : values)
            sum += each;
        return sum / int{ N };
    }

private:
    std::array<int, N> values;
    std::size_t at = 0;
};

Mean<4> mean(100);
std::atomic<int> sample{ 100 };

} // namespace

extern "C" void measure(void)
{
    gio_time next = gio_clock();
    for (int step = 1;; step++) {
        sample = std::min(100 + 20 * step, 180);
        sem_unlock(SEMAPHORE_SAMPLES);
        gio_sleep_until(next += 500 * GIO_MILLISECOND);
    }
}

extern "C" void filter(void)
{
    while (sem_lock(SEMAPHORE_SAMPLES) == GIO_DONE)
        gio_logf("%d, mean %d", sample.load(), mean.next(sample));
}
