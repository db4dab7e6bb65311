/* A panel behind a door: whoever shows something holds the door for a while. */

#include <giornata.h>
#include <identifiers.h>

void holder(void);
void waiter(void);

static volatile int lamp;

/* Shows a number, scaled. */
__attribute__((noinline)) static void show(int value, int factor)
{
    int scaled = value * factor;
    lamp = scaled;
    start_timer(100 * GIO_MILLISECOND);
    lamp = scaled - factor;
}

/* Has the door most of the time. */
void holder(void)
{
    for (int round = 1;; round++) {
        sem_lock(MUTEX_DOOR);
        show(round, 7);
        sem_unlock(MUTEX_DOOR);
    }
}

/* Wants it meanwhile. */
void waiter(void)
{
    for (;;) {
        start_timer(30 * GIO_MILLISECOND);
        sem_lock(MUTEX_DOOR);
        lamp = -1;
        sem_unlock(MUTEX_DOOR);
    }
}
