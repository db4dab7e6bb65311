/* One thread: what comes back at once, and a thread that is created. */

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "marks.h"

static pthread_mutex_t none = PTHREAD_MUTEX_INITIALIZER, protect;
static const struct timespec late = { .tv_sec = 1000 };

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_mutexattr_t mutex;
    pthread_attr_t attr;
    pthread_t thread;
    struct sched_param low = { .sched_priority = 10 };
    int errors = 0;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&mutex, 60);
    pthread_mutex_init(&protect, &mutex);
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &low);
    for (int i = 0; i < ROUNDS; i++) {
        MARK(PAIR_NONE);
        errors |= pthread_mutex_lock(&none);
        errors |= pthread_mutex_unlock(&none);
        MARK(PAIR_NONE + 1);
        MARK(PAIR_PROTECT);
        errors |= pthread_mutex_lock(&protect);
        errors |= pthread_mutex_unlock(&protect);
        MARK(PAIR_PROTECT + 1);
        MARK(LOCK);
        errors |= pthread_mutex_lock(&none);
        MARK(LOCK + 1);
        errors |= pthread_mutex_unlock(&none);
        MARK(TIMED_LOCK);
        errors |= pthread_mutex_timedlock(&none, &late);
        MARK(TIMED_LOCK + 1);
        errors |= pthread_mutex_unlock(&none);
        MARK(CREATE);
        errors |= pthread_create(&thread, &attr, nothing, NULL);
        MARK(CREATE + 1);
        errors |= pthread_join(thread, NULL);
    }
    return errors != 0;
}
