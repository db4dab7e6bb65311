/* Gives what a crowd of another process waits for, from the instant on at which that dies. */
#include <giornata.h>
#include <identifiers.h>

void give(void);

void give(void)
{
    gio_sleep_until(600 * GIO_MILLISECOND);
    for (;;) {
        sem_unlock(SEMAPHORE_CROWD);
        gio_sleep_until(gio_clock() + 10 * GIO_MICROSECOND);
    }
}
