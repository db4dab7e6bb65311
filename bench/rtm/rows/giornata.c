/* Calls of Giornata among n threads, each with a semaphore of its own. The builder makes the
 * threads, which run `crowd` or `hold` with their numbers, and those of them that are timed. */
#include <giornata.h>
#include <identifiers.h>

#include "../../kernel/marks/mark.h"

/* xtask/src/bench/rtm/sweep.rs has the same numbers. */
enum mark {
    /* The first thread of a round is made ready, any other, and the last; and it is done. */
    MARK_FIRST = 10,
    MARK_OTHER = 11,
    MARK_LAST = 12,
    MARK_POSTED = 13,
    /* A thread waits. */
    MARK_BLOCK = 14,
    /* A thread goes to sleep, and has slept. */
    MARK_SLEEP = 15,
    MARK_WOKEN = 16,
};

#define ROUNDS 72
#define WAKES 400
/* Between two of all wakes, on average. */
#define PACE (100 * GIO_MICROSECOND)
/* Behind the end of every run. */
#define FAR (4 * GIO_SECOND)

extern const unsigned crowd_count;
extern const gio_id crowd_semaphores[];
/* Whether threads wait up to an instant, which never comes. */
extern const unsigned crowd_is_timed;

void crowd(unsigned number);
void hold(unsigned number);
void lead(void);
void last(void);
void spin(void);

static unsigned wakes;

/* Marsaglia's xorshift. */
static uint32_t next_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

void crowd(unsigned number)
{
    uint32_t random = 0x9E3779B9u * (number + 1);
    for (;;) {
        gio_time until = FAR + next_random(&random) % (uint32_t)GIO_SECOND;
        MARK(MARK_BLOCK);
        if (crowd_is_timed)
            sem_lock_until(crowd_semaphores[number], until);
        else
            sem_lock(crowd_semaphores[number]);
    }
}

/* Makes all ready in random order, and waits until they wait again. */
void lead(void)
{
    unsigned order[64];
    uint32_t random = 1;
    for (unsigned i = 0; i < crowd_count; i++)
        order[i] = i;
    for (unsigned round = 0; round < ROUNDS; round++) {
        sem_lock(SEMAPHORE_TURN);
        for (unsigned i = crowd_count - 1; i > 0; i--) {
            unsigned other = next_random(&random) % (i + 1), moved = order[i];
            order[i] = order[other];
            order[other] = moved;
        }
        for (unsigned i = 0; i < crowd_count; i++) {
            gio_id semaphore = crowd_semaphores[order[i]];
            if (i == 0)
                MARK(MARK_FIRST);
            else if (i + 1 < crowd_count)
                MARK(MARK_OTHER);
            else
                MARK(MARK_LAST);
            sem_unlock(semaphore);
            MARK(MARK_POSTED);
        }
    }
    gio_shutdown(0);
}

/* The least urgent: all others wait. */
void last(void)
{
    for (;;)
        sem_unlock(SEMAPHORE_TURN);
}

/* Sleeps in pieces of random length, longer ones among more threads: so as many instants are
 * armed, each somewhere among the others, and wakes come as often. */
void hold(unsigned number)
{
    uint32_t pace = (uint32_t)PACE * crowd_count, random = 0x9E3779B9u * (number + 1);
    gio_time next = gio_clock();
    for (;;) {
        next += pace / 2 + next_random(&random) % pace;
        MARK(MARK_SLEEP);
        gio_sleep_until(next);
        MARK(MARK_WOKEN);
        if (++wakes == WAKES)
            gio_shutdown(0);
    }
}

/* Runs whenever nobody else does. */
void spin(void)
{
    for (;;)
        ;
}
