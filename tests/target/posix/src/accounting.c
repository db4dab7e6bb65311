/* CPU time of all threads adds up to the time that elapses: with the kernel's part of it, which
 * those pay for whom it works, and without any idle time, since one thread never waits. */

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "nanoseconds.h"

#define MILLISECOND 1000000LL
/* What the three calls of a look may take. */
#define LOOK 20000

static volatile int stop, handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t there, back;
static pthread_t spinner;

/* By how much the process is ahead of the clock, at least and at most: since the clock is
 * looked at before and after. Each look leaves less, and never nothing. */
static long long least = INT64_MIN, most = INT64_MAX;

static void look(void)
{
    long long before = now(CLOCK_MONOTONIC);
    long long spent = now(CLOCK_PROCESS_CPUTIME_ID);
    long long after = now(CLOCK_MONOTONIC);
    CHECK(after - before < LOOK);
    if (spent - after > least)
        least = spent - after;
    if (spent - before < most)
        most = spent - before;
    CHECK(least <= most);
}

static void rest(long microseconds)
{
    struct timespec time = { .tv_nsec = microseconds * 1000 };
    while (nanosleep(&time, &time) != 0)
        ;
}

static void *spin(void *argument)
{
    while (!stop)
        for (volatile int i = 0; i < 100; i++)
            ;
    return argument;
}

static void *contend(void *microseconds)
{
    while (!stop) {
        pthread_mutex_lock(&mutex);
        rest((long)(intptr_t)microseconds);
        pthread_mutex_unlock(&mutex);
        rest(70);
    }
    return NULL;
}

static void *answer(void *argument)
{
    while (!stop) {
        sem_wait(&there);
        sem_post(&back);
    }
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

static void handle(int number)
{
    (void)number;
    handled++;
}

static pthread_t start(int policy, int priority, void *(*function)(void *), long argument)
{
    pthread_t thread = 0;
    pthread_attr_t attr;
    struct sched_param param = { .sched_priority = priority };
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_setschedpolicy(&attr, policy) == 0);
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, function, (void *)(intptr_t)argument) == 0);
    return thread;
}

static long long spent(pthread_t thread)
{
    clockid_t clock = 0;
    CHECK(pthread_getcpuclockid(thread, &clock) == 0);
    return now(clock);
}

/* What those that live have run, and those that have ended, the process has. */
static void all_of_it(const pthread_t *threads, int count, long long ended)
{
    long long before = now(CLOCK_PROCESS_CPUTIME_ID), all = ended;
    for (int i = 0; i < count; i++)
        all += spent(threads[i]);
    all += now(CLOCK_THREAD_CPUTIME_ID);
    CHECK(before < all && all <= now(CLOCK_PROCESS_CPUTIME_ID));
}

int main(void)
{
    struct sigaction action = { .sa_handler = handle };
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(sem_init(&there, 0, 0) == 0 && sem_init(&back, 0, 0) == 0);
    spinner = start(SCHED_RR, 1, spin, 0);
    pthread_t threads[] = {
        spinner,
        start(SCHED_RR, 1, spin, 0),
        start(SCHED_FIFO, 10, contend, 90),
        start(SCHED_FIFO, 15, contend, 40),
        start(SCHED_FIFO, 30, answer, 0),
    };
    for (int turn = 0; turn < 300; turn++) {
        look();
        CHECK(sem_post(&there) == 0 && sem_wait(&back) == 0);
        look();
        CHECK(pthread_kill(spinner, SIGUSR1) == 0);
        rest(137);
        look();
    }
    CHECK(handled > 0);
    all_of_it(threads, 5, 0);
    /* Threads that have ended count on. */
    long long ended = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int turn = 0; turn < 50; turn++) {
        CHECK(pthread_join(start(SCHED_FIFO, 25, nothing, 0), NULL) == 0);
        look();
    }
    CHECK(now(CLOCK_PROCESS_CPUTIME_ID) > ended);
    stop = 1;
    sem_post(&there);
    for (int i = 0; i < 5; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(most - least < LOOK);
    CHECK((long long)clock() * 1000 <= now(CLOCK_PROCESS_CPUTIME_ID));
    CHECK(clock() > (clock_t)(ended / 1000));
    tell("accounting");
    return 0;
}
