/* Timers, and CLOCK_REALTIME when it is set. */

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "nanoseconds.h"
#include "start.h"

#define MILLISECOND 1000000L

static volatile int ran, last;
static siginfo_t seen;
static sem_t sem;

static void count(int number, siginfo_t *info, void *context)
{
    (void)context;
    ran++;
    last = number;
    seen = *info;
}

static void rest(long milliseconds)
{
    struct timespec time = { .tv_nsec = milliseconds * MILLISECOND };
    while (nanosleep(&time, &time) != 0)
        ;
}

static struct itimerspec every(long first, long period)
{
    return (struct itimerspec){ .it_value = { .tv_nsec = first * MILLISECOND },
                                .it_interval = { .tv_nsec = period * MILLISECOND } };
}

static void bad(timer_t deleted)
{
    timer_t timer;
    struct itimerspec wrong = { .it_value = { .tv_nsec = 1000000000 } }, good = every(1, 0);
    struct sigevent event = { .sigev_notify = 77 };
    CHECK(timer_create(77, NULL, &timer) == -1 && errno == EINVAL);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
    event = (struct sigevent){ .sigev_notify = SIGEV_SIGNAL, .sigev_signo = NSIG };
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
    event = (struct sigevent){ .sigev_notify = SIGEV_THREAD };
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
    CHECK(timer_settime(deleted, 0, &good, NULL) == -1 && errno == EINVAL);
    CHECK(timer_gettime(deleted, &good) == -1 && errno == EINVAL);
    CHECK(timer_getoverrun(deleted) == -1 && errno == EINVAL);
    CHECK(timer_delete(deleted) == -1 && errno == EINVAL && timer_delete(0) == -1);
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
    CHECK(timer_settime(timer, 0, &wrong, NULL) == -1 && errno == EINVAL);
    CHECK(timer_delete(timer) == 0);
}

static void signals(void)
{
    timer_t timer, other, all[32];
    struct itimerspec once = every(2, 0), again = every(1, 2), none = every(0, 0), left;
    struct sigaction action = { .sa_sigaction = count, .sa_flags = SA_SIGINFO };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
                              .sigev_value = { .sival_int = 5 } };
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGRTMIN, &action, NULL);
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
    CHECK(timer_create(CLOCK_REALTIME, &event, &other) == 0 && timer != other);
    CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_settime(timer, 0, &once, &left) == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_nsec > MILLISECOND);
    rest(1);
    CHECK(ran == 0);
    rest(2);
    CHECK(ran == 1 && last == SIGALRM && seen.si_code == SI_TIMER);
    CHECK(seen.si_value.sival_int == (int)timer && timer_getoverrun(timer) == 0);
    CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_settime(other, 0, &again, NULL) == 0);
    rest(6);
    CHECK(ran == 4 && last == SIGRTMIN && seen.si_value.sival_int == 5);
    CHECK(timer_settime(other, 0, &none, &left) == 0 && left.it_interval.tv_nsec == 2 * MILLISECOND);
    rest(3);
    CHECK(ran == 4);
    // an instant, of one that has passed too
    struct itimerspec then = { .it_value = at(now(CLOCK_MONOTONIC) + 2 * MILLISECOND) };
    CHECK(timer_settime(timer, TIMER_ABSTIME, &then, NULL) == 0 && ran == 4);
    rest(3);
    CHECK(ran == 5 && timer_settime(timer, TIMER_ABSTIME, &then, NULL) == 0 && ran == 6);
    // expirations that nobody takes are counted
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    CHECK(timer_settime(other, 0, &again, NULL) == 0);
    rest(8);
    CHECK(ran == 6 && timer_settime(other, 0, &none, NULL) == 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && ran == 7);
    CHECK(timer_getoverrun(other) == 0);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    CHECK(timer_settime(other, 0, &again, NULL) == 0);
    rest(8);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && ran == 8);
    CHECK(timer_getoverrun(other) == 3 && timer_delete(other) == 0);
    rest(3);
    CHECK(ran == 8 && timer_delete(timer) == 0);
    bad(timer);
    for (int i = 0; i < 32; i++)
        CHECK(timer_create(CLOCK_MONOTONIC, NULL, &all[i]) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == -1 && errno == EAGAIN);
    for (int i = 0; i < 32; i++)
        CHECK(timer_delete(all[i]) == 0);
    CHECK(alarm(10) == 0 && alarm(1) == 10);
    struct timespec long_time = { .tv_sec = 5 };
    CHECK(nanosleep(&long_time, &long_time) == -1 && errno == EINTR && ran == 9);
    CHECK(long_time.tv_sec == 3 && alarm(0) == 0);
    tell("signals");
}

static void in_thread(union sigval value)
{
    CHECK(value.sival_int == 9);
    ran++;
    sem_post(&sem);
}

static void threads(void)
{
    timer_t timer;
    struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_value = { .sival_int = 9 },
                              .sigev_notify_function = in_thread };
    struct itimerspec again = every(1, 1);
    ran = 0;
    CHECK(sem_init(&sem, 0, 0) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &again, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(sem_wait(&sem) == 0);
    CHECK(timer_delete(timer) == 0 && ran == 3);
    tell("threads");
}

/* Times of CLOCK_REALTIME that are waited for, in ms from now: what comes of it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t by_realtime = PTHREAD_COND_INITIALIZER, by_monotonic;
static struct timespec goal;

static void *locks(void *when)
{
    CHECK(pthread_mutex_timedlock(&mutex, &goal) == ETIMEDOUT);
    *(long long *)when = now(CLOCK_MONOTONIC);
    return NULL;
}

static void *takes(void *when)
{
    CHECK(sem_timedwait(&sem, &goal) == -1 && errno == ETIMEDOUT);
    *(long long *)when = now(CLOCK_MONOTONIC);
    return NULL;
}

static void *sleeps(void *when)
{
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &goal, NULL) == 0);
    *(long long *)when = now(CLOCK_MONOTONIC);
    return NULL;
}

static void *sleeps_for(void *when)
{
    struct timespec length = { .tv_nsec = 20 * MILLISECOND };
    CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &length, NULL) == 0);
    *(long long *)when = now(CLOCK_MONOTONIC);
    return NULL;
}

static void *waits(void *when)
{
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    while (pthread_cond_timedwait(&by_realtime, &own, &goal) == 0)
        ;
    pthread_mutex_unlock(&own);
    *(long long *)when = now(CLOCK_MONOTONIC);
    return NULL;
}

static void *waits_monotonic(void *when)
{
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    struct timespec time = at(now(CLOCK_MONOTONIC) + 20 * MILLISECOND);
    pthread_mutex_lock(&own);
    // (and it does not wake in vain)
    CHECK(pthread_cond_timedwait(&by_monotonic, &own, &time) == ETIMEDOUT);
    pthread_mutex_unlock(&own);
    *(long long *)when = now(CLOCK_MONOTONIC);
    return NULL;
}

/* Is given the mutex before the time comes, and waits for something else afterwards. */
static void *locks_then_takes(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_timedlock(&mutex, &goal) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(sem_wait(&sem) == 0);
    return NULL;
}

static void *posts(void *unused)
{
    (void)unused;
    CHECK(sem_post(&sem) == 0);
    return NULL;
}

/* Sets the clock after a wait for a time of it has ended and before that thread runs: it blocks
 * in its next wait, so that who is below it runs. */
static void set_after_the_wait(void)
{
    goal = at(now(CLOCK_REALTIME) + 1000 * MILLISECOND);
    pthread_t thread = start(10, locks_then_takes, NULL);
    rest(1);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    struct timespec time = at(now(CLOCK_REALTIME) + 10 * MILLISECOND);
    CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
    pthread_t below = start(5, posts, NULL);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_join(below, NULL) == 0);
}

/* Sets the clock ahead by so many ms 5 ms after a wait for 20 ms begins: when it ends. */
static long after(void *(*wait)(void *), long ahead)
{
    long long when = 0, begin = now(CLOCK_MONOTONIC);
    goal = at(now(CLOCK_REALTIME) + 20 * MILLISECOND);
    pthread_t thread = start(30, wait, &when);
    rest(5);
    struct timespec time = at(now(CLOCK_REALTIME) + ahead * MILLISECOND);
    CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
    pthread_join(thread, NULL);
    return (long)((when - begin) / MILLISECOND);
}

static void setting(void)
{
    struct timespec time = { .tv_sec = 1000000000 }, wrong = { .tv_nsec = -1 };
    CHECK(clock_settime(CLOCK_MONOTONIC, &time) == -1 && errno == EINVAL);
    CHECK(clock_settime(CLOCK_REALTIME, &wrong) == -1 && errno == EINVAL);
    long long before = now(CLOCK_MONOTONIC);
    CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
    CHECK(now(CLOCK_REALTIME) / 1000000000 == 1000000000);
    CHECK(now(CLOCK_MONOTONIC) - before < MILLISECOND * 5);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&by_monotonic, &attr);
    pthread_mutex_lock(&mutex);
    void *(*const absolute[])(void *) = { locks, takes, sleeps, waits };
    for (int i = 0; i < 4; i++) {
        CHECK(after(absolute[i], 10) == 10);
        CHECK(after(absolute[i], 100) == 5);
        CHECK(after(absolute[i], -10) == 30);
    }
    void *(*const relative[])(void *) = { sleeps_for, waits_monotonic };
    for (int i = 0; i < 2; i++) {
        CHECK(after(relative[i], 100) == 20);
        CHECK(after(relative[i], -10) == 20);
    }
    set_after_the_wait();
    // timers: an instant of the clock, and a time from now
    timer_t timer;
    struct sigaction action = { .sa_sigaction = count, .sa_flags = SA_SIGINFO };
    sigaction(SIGALRM, &action, NULL);
    CHECK(timer_create(CLOCK_REALTIME, NULL, &timer) == 0);
    for (int is_absolute = 0; is_absolute < 2; is_absolute++) {
        struct itimerspec once = every(20, 0);
        if (is_absolute)
            once.it_value = at(now(CLOCK_REALTIME) + 20 * MILLISECOND);
        ran = 0;
        CHECK(timer_settime(timer, is_absolute ? TIMER_ABSTIME : 0, &once, NULL) == 0);
        time = at(now(CLOCK_REALTIME) + 10 * MILLISECOND);
        CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
        rest(11);
        CHECK(ran == is_absolute);
        rest(10);
        CHECK(ran == 1);
    }
    tell("setting");
}

int main(void)
{
    signals();
    threads();
    setting();
    return 0;
}
