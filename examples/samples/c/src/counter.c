/* Two threads and a semaphore: one gives each half second, the other counts. */

#include <giornata.h>
#include <identifiers.h> /* SEMAPHORE_TICKS, and all else that system.toml names */

enum { HALF_SECOND = 500 };

void count(void);
void tick(void);

void tick(void)
{
    for (gio_time next = gio_clock();; next += HALF_SECOND * GIO_MILLISECOND) {
        gio_sleep_until(next);
        sem_unlock(SEMAPHORE_TICKS);
    }
}

void count(void)
{
    for (unsigned ticks = 1; sem_lock(SEMAPHORE_TICKS) == GIO_DONE; ticks++)
        gio_log(ticks % 2 ? "tick" : "tock");
}
