/* Threads that begin with a fixed priority and are waited for. */
#ifndef START_H
#define START_H

#include <pthread.h>
#include <stdint.h>

#include "check.h"

static inline pthread_t start(int priority, void *(*function)(void *), void *argument)
{
    pthread_t thread = 0;
    pthread_attr_t attr;
    struct sched_param param = { .sched_priority = priority };
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &param);
    CHECK(pthread_create(&thread, &attr, function, argument) == 0);
    return thread;
}

/* What a thread returns, as a number. */
static inline int joined(pthread_t thread)
{
    void *value = NULL;
    CHECK(pthread_join(thread, &value) == 0);
    return (int)(intptr_t)value;
}

#endif
