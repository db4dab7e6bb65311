/* A thread that sleeps, and one that has the rest of the time. */

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "marks.h"

#define LENGTH 50000

/* It leaves a mark whenever it goes on. */
static void *other(void *argument)
{
    for (;;)
        MARK(OTHER_RUNS);
    return argument;
}

static struct timespec in(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += LENGTH;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

int main(void)
{
    const struct timespec length = { .tv_nsec = LENGTH };
    struct timespec time;
    struct sched_param low = { .sched_priority = 10 };
    pthread_attr_t attr;
    pthread_t thread;
    int errors = 0;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &low);
    errors |= pthread_create(&thread, &attr, other, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        MARK(NANOSLEEP);
        errors |= nanosleep(&length, NULL);
        MARK(WAKE + 1);
        MARK(SLEEP_RELATIVE);
        errors |= clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
        MARK(WAKE + 1);
        time = in(CLOCK_MONOTONIC);
        MARK(SLEEP_MONOTONIC);
        errors |= clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
        MARK(WAKE + 1);
        time = in(CLOCK_REALTIME);
        MARK(SLEEP_REALTIME);
        errors |= clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL);
        MARK(WAKE + 1);
    }
    exit(errors != 0);
}
