// A worker that hangs in a round of its own.
#include <giornata.h>

void work(void);

// Has an instant every millisecond, until it goes round and round.
void work(void)
{
    gio_time next = gio_clock();
    for (int round = 0;; round++) {
        // (one instruction, so that it is always found in one line)
        if (round == 10)
            for (;;) { }
        next += GIO_MILLISECOND;
        gio_sleep_until(next);
    }
}
