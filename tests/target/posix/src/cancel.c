/* Cancellation: where threads end that are asked to, and what they leave. */

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "start.h"

static char order[32];
static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static void note(char letter)
{
    size_t length = strlen(order);
    if (length + 1 < sizeof order)
        order[length] = letter;
}

static int came(const char *letters)
{
    int same = strcmp(order, letters) == 0;
    if (!same)
        printf("came: %s\n", order);
    memset(order, 0, sizeof order);
    return same;
}

static void rest(long milliseconds)
{
    struct timespec time = { .tv_nsec = milliseconds * 1000000 };
    nanosleep(&time, NULL);
}

static void *end(pthread_t thread)
{
    void *value = NULL;
    CHECK(pthread_join(thread, &value) == 0);
    return value;
}

static void tidy(void *letter)
{
    note(*(char *)letter);
}

/* The mutex is its again, so that it can be given back. */
static void unlock(void *letter)
{
    note(*(char *)letter);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static char first = 'f';

static void *by_semaphore(void *argument)
{
    pthread_cleanup_push(tidy, &first);
    sem_wait(&sem);
    pthread_cleanup_pop(0);
    return argument;
}

static void *by_sleep(void *argument)
{
    struct timespec time = { .tv_sec = 1000 };
    pthread_cleanup_push(tidy, &first);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    pthread_cleanup_pop(0);
    return argument;
}

static void *by_condition(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &first);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(0);
    return argument;
}

static void *by_join(void *other)
{
    pthread_cleanup_push(tidy, &first);
    pthread_join(*(pthread_t *)other, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *by_signal(void *argument)
{
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_cleanup_push(tidy, &first);
    sigwait(&set, &number);
    pthread_cleanup_pop(0);
    return argument;
}

static void *by_pause(void *argument)
{
    pthread_cleanup_push(tidy, &first);
    pause();
    pthread_cleanup_pop(0);
    return argument;
}

static void *by_test(void *argument)
{
    pthread_cleanup_push(tidy, &first);
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return argument;
}

static void *anywhere(void *argument)
{
    int before;
    pthread_cleanup_push(tidy, &first);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0);
    CHECK(before == PTHREAD_CANCEL_DEFERRED);
    for (volatile int i = 0;; i++)
        ;
    pthread_cleanup_pop(0);
    return argument;
}

static void points(void)
{
    void *(*const all[])(void *) = { by_semaphore, by_sleep, by_condition, by_signal,
                                     by_pause,     by_test,  anywhere };
    CHECK(sem_init(&sem, 0, 0) == 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        /* while it waits, and before it has begun; more and less urgent than who asks */
        for (int priority = 10; priority <= 30; priority += 20) {
            int computes = all[i] == by_test || all[i] == anywhere;
            if (computes && priority == 30)
                continue;
            for (int early = 0; early < 2; early++) {
                pthread_t thread = start(priority, all[i], NULL);
                if (!early && priority == 10)
                    rest(1);
                CHECK(pthread_cancel(thread) == 0);
                CHECK(end(thread) == PTHREAD_CANCELED && came("f"));
            }
        }
    CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    pthread_t other = start(30, by_semaphore, NULL), joiner = start(30, by_join, &other);
    CHECK(pthread_cancel(joiner) == 0 && end(joiner) == PTHREAD_CANCELED);
    CHECK(pthread_cancel(other) == 0 && end(other) == PTHREAD_CANCELED && came("ff"));
    CHECK(pthread_cancel(other) == ESRCH && sem_trywait(&sem) == -1);
    tell("points");
}

/* What is no point of cancellation goes on. */
static void *locks(void *argument)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    note('l');
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    pthread_barrier_wait(&barrier);
    note('b');
    pthread_testcancel();
    note('?');
    return argument;
}

static void *keeps(void *argument)
{
    int before;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0);
    CHECK(before == PTHREAD_CANCEL_ENABLE && sem_wait(&sem) == 0);
    note('k');
    CHECK(pthread_setcancelstate(7, NULL) == EINVAL && pthread_setcanceltype(7, NULL) == EINVAL);
    pthread_testcancel();
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
    note('e');
    pthread_testcancel();
    note('?');
    return argument;
}

static void handler(int number)
{
    (void)number;
    note('h');
}

static void others(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_mutex_lock(&mutex);
    pthread_t thread = start(30, locks, NULL);
    CHECK(pthread_cancel(thread) == 0 && came("") && pthread_mutex_unlock(&mutex) == 0);
    CHECK(came("l"));
    pthread_barrier_wait(&barrier);
    CHECK(end(thread) == PTHREAD_CANCELED && came("b"));
    thread = start(30, keeps, NULL);
    CHECK(pthread_cancel(thread) == 0 && came("") && sem_post(&sem) == 0);
    CHECK(end(thread) == PTHREAD_CANCELED && came("ke"));
    // with a signal on its way, whose handler runs first
    struct sigaction action = { .sa_handler = handler };
    sigaction(SIGUSR1, &action, NULL);
    thread = start(10, by_semaphore, NULL);
    rest(1);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && pthread_cancel(thread) == 0);
    CHECK(end(thread) == PTHREAD_CANCELED && came("hf"));
    // it takes nothing that it does not keep
    for (int i = 0; i < 2; i++) {
        thread = start(10, by_semaphore, NULL);
        rest(1);
        CHECK(sem_post(&sem) == 0 && pthread_cancel(thread) == 0);
        void *value = end(thread);
        int left = sem_trywait(&sem) == 0;
        CHECK((value == PTHREAD_CANCELED) == left);
        came(left ? "f" : "");
    }
    tell("others");
}

int main(void)
{
    points();
    others();
    return 0;
}
