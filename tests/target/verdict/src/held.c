/* A thread that takes a mutex, forgets on one path to give it back, and goes on. */

#include <giornata.h>
#include <identifiers.h>

void keeper(void);
void wanter(void);

static volatile int level, rests;

/* Gives the bus back, but not of the reading after which the level is high. */
static __attribute__((noinline)) void read_level(void)
{
    sem_lock(MUTEX_BUS);
    if (++level > 3)
        return;
    sem_unlock(MUTEX_BUS);
}

static __attribute__((noinline)) void rest(void)
{
    start_timer(2 * GIO_MILLISECOND);
    rests = rests + 1;
}

void keeper(void)
{
    read_level();
    for (;;) {
        rest();
        if (level < 4)
            read_level();
    }
}

/* Wants the bus every 5 ms. */
void wanter(void)
{
    for (;;) {
        start_timer(5 * GIO_MILLISECOND);
        sem_lock(MUTEX_BUS);
        sem_unlock(MUTEX_BUS);
    }
}
