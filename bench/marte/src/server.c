/* A sporadic server that uses its budget up, and one that has the rest: each leaves marks. */

#include <pthread.h>
#include <stdlib.h>

#include "marks.h"

static volatile int is_over;

static void *serve(void *argument)
{
    while (!is_over)
        MARK(SERVER_RUNS);
    return argument;
}

int main(void)
{
    const struct sched_param server = {
        .sched_priority = 60,
        .sched_ss_low_priority = 10,
        .sched_ss_init_budget = { .tv_nsec = 20000 },
        .sched_ss_repl_period = { .tv_nsec = 100000 },
        .sched_ss_max_repl = 4,
    };
    pthread_attr_t attr;
    pthread_t thread;
    int errors = 0;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_SPORADIC);
    pthread_attr_setschedparam(&attr, &server);
    errors |= pthread_create(&thread, &attr, serve, NULL);
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += 14000000;
    do {
        for (int i = 0; i < 500; i++)
            MARK(OTHER_RUNS);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec || now.tv_nsec < end.tv_nsec);
    is_over = 1;
    errors |= pthread_join(thread, NULL);
    exit(errors != 0);
}
