/* Two threads, each of which waits for what the other has: main is the less urgent. */

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "marks.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t turn, done;
static volatile int errors;
static const struct timespec late = { .tv_sec = 1000 };

static void *high(void *argument)
{
    for (;;) {
        sem_wait(&turn);
        MARK(POST + 1);
        MARK(CONTENDED);
        errors |= pthread_mutex_lock(&mutex);
        MARK(UNLOCK + 1);
        errors |= pthread_mutex_unlock(&mutex);
        sem_wait(&turn);
        MARK(TIMED_CONTENDED);
        errors |= pthread_mutex_timedlock(&mutex, &late);
        MARK(TIMED_UNLOCK + 1);
        errors |= pthread_mutex_unlock(&mutex);
        sem_wait(&turn);
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 50000;
        if (soon.tv_nsec >= 1000000000) {
            soon.tv_nsec -= 1000000000;
            soon.tv_sec++;
        }
        errors |= pthread_mutex_timedlock(&mutex, &soon) != ETIMEDOUT;
        MARK(EXPIRE + 1);
        sem_post(&done);
    }
    return argument;
}

static void handler(int number)
{
    MARK(SIGNAL + 1);
    (void)number;
}

static void *pauses(void *argument)
{
    struct timespec long_time = { .tv_sec = 1000 };
    for (;;)
        nanosleep(&long_time, NULL);
    return argument;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread, target;
    struct sched_param more = { .sched_priority = 60 };
    struct sigaction action = { .sa_handler = handler };

    sigaction(SIGUSR1, &action, NULL);
    sem_init(&turn, 0, 0);
    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &more);
    errors |= pthread_create(&thread, &attr, high, NULL);
    errors |= pthread_create(&target, &attr, pauses, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        errors |= pthread_mutex_lock(&mutex);
        MARK(POST);
        sem_post(&turn);
        MARK(UNLOCK);
        errors |= pthread_mutex_unlock(&mutex);
        errors |= pthread_mutex_lock(&mutex);
        sem_post(&turn);
        MARK(TIMED_UNLOCK);
        errors |= pthread_mutex_unlock(&mutex);
        errors |= pthread_mutex_lock(&mutex);
        sem_post(&turn);
        /* (it has the turn of who waits, until that one's time is up) */
        while (sem_trywait(&done) != 0)
            MARK(OTHER_RUNS);
        errors |= pthread_mutex_unlock(&mutex);
        MARK(SIGNAL);
        errors |= pthread_kill(target, SIGUSR1);
    }
    exit(errors != 0);
}
