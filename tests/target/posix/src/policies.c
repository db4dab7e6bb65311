/* Scheduling policies, and timers of CPU time. */

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

#define MILLISECOND 1000000L

static volatile int stop, ran;

static long long spent(pthread_t thread)
{
    clockid_t clock = 0;
    pthread_getcpuclockid(thread, &clock);
    return now(clock);
}

static void rest(long milliseconds)
{
    struct timespec time = { .tv_nsec = milliseconds * MILLISECOND };
    while (nanosleep(&time, &time) != 0)
        ;
}

/* Has the processor for so long. */
static void work(long milliseconds)
{
    long long end = now(CLOCK_THREAD_CPUTIME_ID) + milliseconds * MILLISECOND;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 1000; i++)
            ;
}

static pthread_t start(int policy, struct sched_param param, void *(*function)(void *))
{
    pthread_t thread = 0;
    pthread_attr_t attr;
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_setschedpolicy(&attr, policy) == 0);
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, function, NULL) == 0);
    return thread;
}

static void *compute(void *argument)
{
    while (!stop)
        ran++;
    return argument;
}

static void end(pthread_t thread)
{
    stop = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    stop = 0;
}

static void turns(void)
{
    struct sched_param low = { .sched_priority = 10 }, param;
    struct timespec quantum;
    int policy;
    CHECK(sched_rr_get_interval(0, &quantum) == 0 && quantum.tv_nsec == 10 * MILLISECOND);
    CHECK(sched_rr_get_interval(77, &quantum) == -1 && errno == ESRCH);
    CHECK(sched_get_priority_max(SCHED_RR) == 40 && sched_get_priority_min(SCHED_SPORADIC) == 0);
    pthread_t one = start(SCHED_RR, low, compute), two = start(SCHED_RR, low, compute);
    CHECK(pthread_getschedparam(one, &policy, &param) == 0 && policy == SCHED_RR);
    rest(100);
    // five quanta each
    long long first = spent(one) / MILLISECOND, second = spent(two) / MILLISECOND;
    CHECK(first >= 49 && first <= 51 && second >= 48 && second <= 51);
    // one of them goes on alone
    CHECK(pthread_setschedparam(one, SCHED_FIFO, &low) == 0);
    CHECK(pthread_setschedparam(two, SCHED_FIFO, &low) == 0);
    first = spent(one);
    second = spent(two);
    rest(50);
    CHECK((spent(one) == first) != (spent(two) == second));
    stop = 1;
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    stop = 0;
    tell("turns");
}

static void servers(void)
{
    struct sched_param server = { .sched_priority = 30,
                                  .sched_ss_low_priority = 10,
                                  .sched_ss_init_budget = { .tv_nsec = 2 * MILLISECOND },
                                  .sched_ss_repl_period = { .tv_nsec = 20 * MILLISECOND },
                                  .sched_ss_max_repl = 2 };
    struct sched_param param, bad;
    int policy;
    pthread_t thread = start(SCHED_SPORADIC, server, compute);
    // it has used its budget up, since it is more urgent
    CHECK(spent(thread) / MILLISECOND == 2);
    CHECK(pthread_getschedparam(thread, &policy, &param) == 0 && policy == SCHED_SPORADIC);
    CHECK(param.sched_ss_low_priority == 10 && param.sched_ss_max_repl == 2);
    // a tenth of the processor
    long long begin = now(CLOCK_MONOTONIC);
    work(90);
    CHECK((now(CLOCK_MONOTONIC) - begin) / MILLISECOND == 100);
    CHECK(spent(thread) / MILLISECOND == 12);
    // and what is left, with its lower priority
    rest(10);
    CHECK(spent(thread) / MILLISECOND >= 21);
    server.sched_ss_init_budget.tv_nsec = 5 * MILLISECOND;
    long long before = spent(thread);
    CHECK(pthread_setschedparam(thread, SCHED_SPORADIC, &server) == 0);
    CHECK((spent(thread) - before) / MILLISECOND == 5);
    for (int i = 0; i < 6; i++) {
        bad = server;
        switch (i) {
        case 0: bad.sched_ss_low_priority = 30; break;
        case 1: bad.sched_ss_max_repl = 0; break;
        case 2: bad.sched_ss_max_repl = SS_REPL_MAX + 1; break;
        case 3: bad.sched_ss_init_budget.tv_nsec = 21 * MILLISECOND; break;
        case 4: bad.sched_ss_init_budget.tv_nsec = 0; break;
        case 5: bad.sched_ss_repl_period.tv_nsec = -1; break;
        }
        CHECK(pthread_setschedparam(thread, SCHED_SPORADIC, &bad) == EINVAL);
    }
    bad = server;
    bad.sched_priority = 41;
    CHECK(pthread_setschedparam(thread, SCHED_SPORADIC, &bad) == EPERM);
    CHECK(pthread_setschedparam(thread, 77, &server) == EINVAL);
    CHECK(pthread_setschedparam(77, SCHED_FIFO, &server) == ESRCH);
    // as any other again
    server.sched_priority = 10;
    CHECK(pthread_setschedparam(thread, SCHED_FIFO, &server) == 0);
    before = spent(thread);
    work(50);
    CHECK(spent(thread) == before);
    end(thread);
    pthread_attr_t attr;
    bad = (struct sched_param){ .sched_priority = 30 };
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_SPORADIC);
    pthread_attr_setschedparam(&attr, &bad);
    for (int i = 0; i < 10; i++)
        CHECK(pthread_create(&thread, &attr, compute, NULL) == EINVAL);
    tell("servers");
}

static pthread_t overrun;
static sem_t told;

static void expired(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    CHECK(info->si_code == SI_TIMER && info->si_value.sival_int == 6);
    ran = 1;
    stop = 1;
}

static void *compute_once(void *argument)
{
    overrun = pthread_self();
    sem_wait(&told);
    while (!stop)
        ;
    return argument;
}

static void cpu_timers(void)
{
    struct sched_param low = { .sched_priority = 10 };
    struct sigaction action = { .sa_sigaction = expired, .sa_flags = SA_SIGINFO };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
                              .sigev_value = { .sival_int = 6 } };
    struct itimerspec budget = { .it_value = { .tv_nsec = 3 * MILLISECOND } }, left;
    timer_t timer;
    clockid_t clock;
    ran = 0;
    sigaction(SIGRTMIN, &action, NULL);
    CHECK(sem_init(&told, 0, 0) == 0);
    pthread_t thread = start(SCHED_FIFO, low, compute_once);
    CHECK(pthread_getcpuclockid(thread, &clock) == 0);
    CHECK(timer_create(clock, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &budget, NULL) == 0);
    rest(10);
    // it has not run
    CHECK(ran == 0 && timer_gettime(timer, &left) == 0);
    CHECK(left.it_value.tv_nsec > 2 * MILLISECOND);
    long long before = spent(thread);
    CHECK(sem_post(&told) == 0);
    work(10);
    CHECK(ran == 0);
    CHECK(pthread_join(thread, NULL) == 0 && ran == 1);
    CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_delete(timer) == 0 && before < MILLISECOND);
    // one's own
    ran = stop = 0;
    CHECK(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &budget, NULL) == 0);
    rest(10);
    CHECK(ran == 0);
    work(4);
    CHECK(ran == 1);
    budget.it_interval.tv_nsec = 2 * MILLISECOND;
    CHECK(timer_settime(timer, 0, &budget, NULL) == 0);
    work(8);
    CHECK(timer_getoverrun(timer) == 0 && timer_gettime(timer, &left) == 0);
    CHECK(left.it_value.tv_nsec <= 2 * MILLISECOND && timer_delete(timer) == 0);
    stop = 0;
    tell("timers of CPU time");
}

static char order[16];
static volatile int jobs;

/* Three jobs, each released at the end of a sleep. */
static void *release(void *name)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec = 0;
    at.tv_sec++;
    for (int job = 0; job < 3; job++) {
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        order[jobs++] = *(char *)name;
        work(1);
        at.tv_nsec += (*(char *)name == 'a' ? 10 : 15) * MILLISECOND;
    }
    return NULL;
}

/* The earlier deadline first, whatever the priorities; and not of a thread without any. */
static void deadlines(void)
{
    struct sched_param first = { .sched_priority = 5, .sched_deadline = { .tv_nsec = 9 * MILLISECOND } };
    struct sched_param second = { .sched_priority = 7, .sched_deadline = { .tv_nsec = 4 * MILLISECOND } };
    struct sched_param none = { .sched_priority = 5 }, found;
    int policy;
    pthread_t one = 0, two = 0;
    CHECK(pthread_create(&one, NULL, release, "a") == 0);
    CHECK(pthread_create(&two, NULL, release, "b") == 0);
    CHECK(pthread_setschedparam(one, SCHED_DEADLINE, &none) == EINVAL);
    CHECK(pthread_setschedparam(one, SCHED_DEADLINE, &first) == 0);
    CHECK(pthread_setschedparam(two, SCHED_DEADLINE, &second) == 0);
    CHECK(pthread_getschedparam(two, &policy, &found) == 0);
    CHECK(policy == SCHED_DEADLINE && found.sched_deadline.tv_nsec == 4 * MILLISECOND);
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    // both at 0, "a" at 10 and 20 ms, "b" at 15 and 30
    CHECK(strcmp(order, "baabab") == 0);
    tell("deadlines");
}

int main(void)
{
    turns();
    servers();
    cpu_timers();
    deadlines();
    return 0;
}
