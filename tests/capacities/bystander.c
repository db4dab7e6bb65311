/* A thread that sleeps from instant to instant, and says how late it woke at worst, and how
 * late at the instants before anything had been done to it. */
#include <giornata.h>

void bystand(void);

#define BEGIN (10 * GIO_MILLISECOND)
#define DONE (500 * GIO_MILLISECOND)
#define END (1000 * GIO_MILLISECOND)
/* No multiple of what the others do, so that it comes in the midst of all of it. */
#define STEP ((gio_time)19300)

void bystand(void)
{
    gio_time worst[2] = { 0, 0 };
    gio_time next = BEGIN;
    while (next < END) {
        gio_sleep_until(next);
        gio_time late = gio_clock() - next;
        if (late > worst[next >= DONE])
            worst[next >= DONE] = late;
        do
            next += STEP;
        while (next < gio_clock());
    }
    gio_logf("worst %u ns, before %u ns", (unsigned)worst[1], (unsigned)worst[0]);
    gio_shutdown(0);
}
