/* A mutex that nobody can have stays one, whenever the last that waits for it gives up: at each
 * of many instants around the one at which it is given back. */

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "nanoseconds.h"
#include "start.h"

/* How long a waiter waits, from when on its end is watched, ns; and steps of a few instructions
 * from there on. */
enum { PATIENCE = 100000, WATCHED = 98000, STEPS = 600 };

static pthread_mutex_t mutex;
static long long begun;
static volatile int steps;

/* Runs until the end of the patience is near, and some steps on. */
static void run_on(int count)
{
    while (now(CLOCK_REALTIME) < begun + WATCHED)
        ;
    for (int i = 0; i < count; i++)
        steps++;
}

static void *end_with_it(void *unused)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    return unused;
}

static void *give_up(void *unused)
{
    struct timespec end = at(begun + PATIENCE);
    int error = pthread_mutex_timedlock(&mutex, &end);
    CHECK(error == ETIMEDOUT || error == ENOTRECOVERABLE);
    return unused;
}

/* The caller has it after an owner that ended, and mends nothing of what it protects. */
static void inherit(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    joined(start(30, end_with_it, NULL));
    CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
}

/* It is given back as the last that waits for it gives up. */
static void robust(void)
{
    for (int i = 0; i < STEPS; i++) {
        inherit();
        begun = now(CLOCK_REALTIME);
        pthread_t waiter = start(30, give_up, NULL);
        run_on(i);
        pthread_mutex_unlock(&mutex);
        CHECK(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
        joined(waiter);
        CHECK(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
        pthread_mutex_destroy(&mutex);
    }
    tell("robust");
}

/* It is given back to wait for a condition. */
static void waits(void)
{
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    inherit();
    CHECK(pthread_cond_wait(&condition, &mutex) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_unlock(&mutex) == EPERM);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    tell("waits");
}

int main(void)
{
    robust();
    waits();
    return 0;
}
