// A worker that hangs in a round of its own.
#include <giornata.h>

void work(void);

static int is_stuck(int round)
{
    return round == 10;
}

// Has an instant every millisecond, until it waits for something that does not change.
void work(void)
{
    gio_time next = gio_clock();
    for (volatile int round = 0;; round++) {
        while (is_stuck(round))
            ;
        next += GIO_MILLISECOND;
        gio_sleep_until(next);
    }
}
