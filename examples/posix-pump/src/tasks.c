#define _GNU_SOURCE

#include "tasks.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

void fall_back(const char *what)
{
    fprintf(stderr, "(this system has no %s: the logic is the same)\n", what);
}

static void stop_unless(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s is refused\n", what);
        exit(1);
    }
}

static pthread_t start(int policy, const struct sched_param *parameters, void *(*body)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    if (pthread_attr_setschedpolicy(&attributes, policy) == 0 &&
        pthread_attr_setschedparam(&attributes, parameters) == 0 &&
        pthread_create(&thread, &attributes, body, NULL) == 0)
        return thread;
    /* (Linux gives priorities to few) */
    static int told;
    if (!told++)
        fall_back("priorities for this user");
    stop_unless(pthread_create(&thread, NULL, body, NULL) == 0, "a thread");
    return thread;
}

pthread_t start_task(int priority, void *(*body)(void *))
{
    struct sched_param parameters = { .sched_priority = priority };
    return start(SCHED_FIFO, &parameters, body);
}

pthread_t start_server(int priority, int low, int budget, int period, void *(*body)(void *))
{
#ifdef SCHED_SPORADIC
    struct sched_param parameters = {
        .sched_priority = priority,
        .sched_ss_low_priority = low,
        .sched_ss_init_budget = { .tv_nsec = budget * 1000000L },
        .sched_ss_repl_period = { .tv_nsec = period * 1000000L },
        .sched_ss_max_repl = 4,
    };
    return start(SCHED_SPORADIC, &parameters, body);
#else
    (void)low, (void)budget, (void)period;
    fall_back("SCHED_SPORADIC");
    return start_task(priority, body);
#endif
}

void make_mutex(pthread_mutex_t *mutex, int ceiling)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) == 0 &&
        pthread_mutexattr_setprioceiling(&attributes, ceiling) == 0 &&
        pthread_mutex_init(mutex, &attributes) == 0) {
        if (pthread_mutex_lock(mutex) == 0) {
            pthread_mutex_unlock(mutex);
            return;
        }
        pthread_mutex_destroy(mutex);
    }
    fall_back("priority ceilings for this user");
    stop_unless(pthread_mutex_init(mutex, NULL) == 0, "a mutex");
}
