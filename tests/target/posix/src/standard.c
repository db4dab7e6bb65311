/* What the text of POSIX.1 says of scheduling, timers, signals and the end of threads, an
 * assertion a line: where a programmer who knows another system would find the difference. */

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "nanoseconds.h"

#define MILLISECOND 1000000LL
#define SECOND 1000000000LL
#define COUNT(array) (sizeof array / sizeof *(array))

static void rest(long long nanoseconds)
{
    struct timespec time = at(now(CLOCK_MONOTONIC) + nanoseconds);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

static void compute(long long nanoseconds)
{
    long long end = now(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static pthread_t start(int policy, int priority, void *(*function)(void *), void *argument)
{
    pthread_t thread = 0;
    pthread_attr_t attr;
    struct sched_param param = { .sched_priority = priority };
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_setschedpolicy(&attr, policy) == 0);
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, function, argument) == 0);
    pthread_attr_destroy(&attr);
    return thread;
}

static char order[32];

static void note(char letter)
{
    size_t length = strlen(order);
    if (length + 1 < sizeof order)
        order[length] = letter;
}

/* Whether the letters came in this order; forgets them. */
static int came(const char *letters)
{
    int same = strcmp(order, letters) == 0;
    if (!same)
        printf("came \"%s\"\n", order);
    memset(order, 0, sizeof order);
    return same;
}

/* ---- Policies and priorities --------------------------------------------------------------- */

struct scheduling {
    int policy, priority;
};

static void *tell_scheduling(void *place)
{
    struct scheduling *own = place;
    struct sched_param param;
    CHECK(pthread_getschedparam(pthread_self(), &own->policy, &param) == 0);
    own->priority = param.sched_priority;
    return NULL;
}

/* What a thread has that was created with these attributes. */
static struct scheduling created(int inherits, int policy, int priority)
{
    struct scheduling found = { -1, -1 };
    pthread_t thread;
    pthread_attr_t attr;
    struct sched_param param = { .sched_priority = priority };
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setinheritsched(&attr, inherits) == 0);
    CHECK(pthread_attr_setschedpolicy(&attr, policy) == 0);
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, tell_scheduling, &found) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return found;
}

static void scheduling(void)
{
    static const int policies[] = { SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_SPORADIC };
    static const int none[] = { -1, 3, 77, 0x10000, INT32_MIN, INT32_MAX };
    pthread_attr_t attr;
    int number;
    pthread_attr_init(&attr);
    for (size_t i = 0; i < COUNT(policies); i++) {
        int policy = policies[i];
        errno = 0;
        int low = sched_get_priority_min(policy), high = sched_get_priority_max(policy);
        /* (at least 32 of them) */
        CHECK(low >= 0 && high - low >= 31 && errno == 0);
        CHECK(pthread_attr_setschedpolicy(&attr, policy) == 0);
        CHECK(pthread_attr_getschedpolicy(&attr, &number) == 0 && number == policy);
        if (policy == SCHED_SPORADIC)
            continue;
        /* all that are told can be had, none above */
        struct scheduling first = created(PTHREAD_EXPLICIT_SCHED, policy, low);
        CHECK(first.policy == policy && first.priority == low);
        struct scheduling last = created(PTHREAD_EXPLICIT_SCHED, policy, high);
        CHECK(last.policy == policy && last.priority == high);
        struct sched_param param = { .sched_priority = high + 1 }, before;
        CHECK(pthread_setschedparam(pthread_self(), policy, &param) != 0);
        CHECK(pthread_getschedparam(pthread_self(), &number, &before) == 0);
        CHECK(number == SCHED_FIFO && before.sched_priority == 20);
        /* attributes are not looked at if the creator's scheduling is inherited */
        struct scheduling same = created(PTHREAD_INHERIT_SCHED, policy, high);
        CHECK(same.policy == SCHED_FIFO && same.priority == 20);
        param.sched_priority = 25;
        CHECK(pthread_setschedparam(pthread_self(), policy, &param) == 0);
        same = created(PTHREAD_INHERIT_SCHED, SCHED_FIFO, low);
        CHECK(same.policy == policy && same.priority == 25);
        CHECK(sched_getscheduler(0) == policy && sched_getparam(getpid(), &before) == 0);
        CHECK(before.sched_priority == 25);
        param.sched_priority = 20;
        CHECK(sched_setscheduler(0, SCHED_FIFO, &param) == policy);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        struct sched_param param = { .sched_priority = 20 };
        errno = 0;
        CHECK(sched_get_priority_max(none[i]) == -1 && errno == EINVAL);
        errno = 0;
        CHECK(sched_get_priority_min(none[i]) == -1 && errno == EINVAL);
        int error = pthread_attr_setschedpolicy(&attr, none[i]);
        CHECK(error == (none[i] == -1 ? ENOTSUP : EINVAL));
        CHECK(pthread_attr_getschedpolicy(&attr, &number) == 0 && number == SCHED_SPORADIC);
        CHECK(pthread_setschedparam(pthread_self(), none[i], &param) == EINVAL);
        errno = 0;
        CHECK(sched_setscheduler(0, none[i], &param) == -1 && errno == EINVAL);
    }
    errno = 0;
    CHECK(sched_getscheduler(77) == -1 && errno == ESRCH);
    struct sched_param param = { .sched_priority = 20 };
    errno = 0;
    CHECK(sched_setparam(77, &param) == -1 && errno == ESRCH);
    errno = 0;
    CHECK(sched_getparam(-1, &param) == -1 && errno == ESRCH);
    param.sched_priority = -1;
    CHECK(pthread_attr_setschedparam(&attr, &param) == EINVAL);
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == EINVAL);
    CHECK(pthread_attr_setinheritsched(&attr, 999) == EINVAL);
    CHECK(pthread_attr_setschedpolicy(&attr, SCHED_DEADLINE) == ENOTSUP);
    tell("scheduling");
}

static void *say(void *letter)
{
    note(*(char *)letter);
    return NULL;
}

/* Whoever is given a priority runs at once, or not any more, before the function returns; of
 * equals it goes behind those that are ready, but for pthread_setschedprio() downwards, where it
 * stays the first. */
static void at_once(void)
{
    struct sched_param param = { .sched_priority = 10 };
    pthread_t one = start(SCHED_FIFO, 10, say, "a"), two = start(SCHED_FIFO, 15, say, "b");
    CHECK(came(""));
    param.sched_priority = 30;
    CHECK(pthread_setschedparam(one, SCHED_FIFO, &param) == 0 && came("a"));
    CHECK(pthread_setschedprio(two, 21) == 0 && came("b"));
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    /* to the tail of those of its new priority, without a change of it, too */
    one = start(SCHED_FIFO, 20, say, "c");
    param.sched_priority = 20;
    CHECK(came("") && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0);
    CHECK(came("c") && pthread_join(one, NULL) == 0);
    one = start(SCHED_RR, 19, say, "d");
    param.sched_priority = 19;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0 && came("d"));
    CHECK(pthread_join(one, NULL) == 0);
    /* downwards by pthread_setschedprio(): to the head */
    one = start(SCHED_FIFO, 18, say, "e");
    CHECK(pthread_setschedprio(pthread_self(), 18) == 0 && came(""));
    CHECK(sched_yield() == 0 && came("e") && pthread_join(one, NULL) == 0);
    /* upwards: to the tail */
    one = start(SCHED_FIFO, 18, say, "f");
    two = start(SCHED_FIFO, 18, say, "g");
    CHECK(pthread_setschedprio(one, 17) == 0 && pthread_setschedprio(one, 18) == 0);
    CHECK(pthread_setschedprio(pthread_self(), 16) == 0 && came("gf"));
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    CHECK(pthread_setschedprio(pthread_self(), 20) == 0);
    tell("at once");
}

static volatile int over;

static void *works(void *spent)
{
    while (!over)
        ;
    *(long long *)spent = now(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static void *works_and_rests(void *spent)
{
    while (!over) {
        compute(9 * MILLISECOND);
        rest(MILLISECOND / 10);
    }
    *(long long *)spent = now(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

/* A quantum is of whoever runs: after a wait it is a whole one. So whoever waits just before
 * its quantum ends gets the same share as its equals. */
static void quanta(void)
{
    long long spent[3];
    over = 0;
    pthread_t one = start(SCHED_RR, 15, works_and_rests, &spent[0]);
    pthread_t two = start(SCHED_RR, 15, works, &spent[1]);
    pthread_t three = start(SCHED_RR, 15, works, &spent[2]);
    rest(870 * MILLISECOND);
    over = 1;
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    CHECK(pthread_join(three, NULL) == 0);
    /* 9 of 29 ms */
    CHECK(spent[0] > 255 * MILLISECOND && spent[0] < 285 * MILLISECOND);
    CHECK(spent[1] > 280 * MILLISECOND && spent[2] > 280 * MILLISECOND);
    tell("quanta");
}

/* ---- The end of threads ---------------------------------------------------------------------- */

static void *round_as(void *mode)
{
    *(int *)mode = fegetround();
    return NULL;
}

/* A thread begins with its creator's floating-point environment. */
static void environment(void)
{
#ifdef FE_UPWARD
    if (fesetround(FE_UPWARD) == 0) {
        int mode = -1, later = -1;
        pthread_t thread = start(SCHED_FIFO, 30, round_as, &mode);
        CHECK(pthread_join(thread, NULL) == 0 && mode == FE_UPWARD);
        /* as it was when it was made */
        thread = start(SCHED_FIFO, 10, round_as, &later);
        CHECK(fesetround(FE_TONEAREST) == 0 && pthread_join(thread, NULL) == 0);
        CHECK(later == FE_UPWARD);
        thread = start(SCHED_FIFO, 30, round_as, &mode);
        CHECK(pthread_join(thread, NULL) == 0 && mode == FE_TONEAREST);
    }
#else
    (void)round_as;
#endif
    /* (as many with and without such registers) */
    held = 0;
    tell("environment");
}

static pthread_t main_thread;
static sem_t ended;

static void *join_itself(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)pthread_join(pthread_self(), NULL);
}

static void *join_main(void *argument)
{
    void *value = NULL;
    struct timespec soon = at(now(CLOCK_REALTIME) + MILLISECOND);
    CHECK(pthread_kill(main_thread, 0) == 0);
    CHECK(pthread_tryjoin_np(main_thread, &value) == EBUSY);
    CHECK(pthread_timedjoin_np(main_thread, &value, &soon) == ETIMEDOUT);
    CHECK(pthread_join(main_thread, &value) == 0 && value == argument);
    CHECK(pthread_join(main_thread, &value) == ESRCH && pthread_detach(main_thread) == ESRCH);
    CHECK(pthread_kill(main_thread, 0) == ESRCH);
    tell("main");
    exit(0);
}

static void joins(void)
{
    void *value = NULL;
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
    pthread_t thread = start(SCHED_FIFO, 30, join_itself, NULL);
    CHECK(pthread_join(thread, &value) == 0 && (intptr_t)value == EDEADLK);
    tell("joins");
}

/* ---- Time ------------------------------------------------------------------------------------- */

/* CLOCK_REALTIME is a constant ahead of CLOCK_MONOTONIC: what the board's clock showed at the
 * start, if it has one, and what it is set to. */
static void clocks(void)
{
    const long long day = 24 * 60 * 60 * SECOND;
    long long ahead = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
    CHECK(ahead % day < MILLISECOND || ahead % day > day - MILLISECOND);
    rest(3 * MILLISECOND);
    long long later = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
    CHECK(later - ahead < MILLISECOND / 10 && ahead - later < MILLISECOND / 10);
    struct timespec time = at(7 * day);
    CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
    CHECK(now(CLOCK_REALTIME) - 7 * day < MILLISECOND / 10);
    time = at(now(CLOCK_MONOTONIC) + ahead);
    CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
    tell("clocks");
}

static void sleeps(void)
{
    struct timespec negative = { .tv_sec = -1 }, wrong = { .tv_nsec = SECOND }, rest = { 7, 7 };
    errno = 0;
    CHECK(nanosleep(&negative, &rest) == -1 && errno == EINVAL);
    CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &negative, NULL) == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, &rest) == EINVAL);
    CHECK(rest.tv_sec == 7 && rest.tv_nsec == 7);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wrong, NULL) == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &negative, NULL) == 0);
    CHECK(clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &rest, NULL) == ENOTSUP);
    CHECK(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &rest, NULL) == EINVAL);
    CHECK(clock_nanosleep(77, 0, &rest, NULL) == EINVAL);
    CHECK(clock_settime(CLOCK_REALTIME, &negative) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(clock_settime(CLOCK_REALTIME, &wrong) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(clock_settime(CLOCK_PROCESS_CPUTIME_ID, &rest) == -1 && errno == EINVAL);
    tell("sleeps");
}

static volatile int taken;

static void take(int number)
{
    taken++;
    note(number >= SIGRTMIN ? 'A' + (number - SIGRTMIN) : 'a' + number);
}

static timer_t timer_of(clockid_t clock, int number)
{
    timer_t timer = 0;
    struct sigevent event = { .sigev_notify = number == 0 ? SIGEV_NONE : SIGEV_SIGNAL,
                              .sigev_signo = number };
    CHECK(timer_create(clock, &event, &timer) == 0);
    return timer;
}

static void set(timer_t timer, int flags, long long first, long long period)
{
    struct itimerspec setting = { .it_value = at(first), .it_interval = at(period) };
    CHECK(timer_settime(timer, flags, &setting, NULL) == 0);
}

static void block(int how, int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    CHECK(sigprocmask(how, &set, NULL) == 0);
}

/* Overruns are what was missed from when the signal was generated until it was taken: of one
 * that nobody would notice by default, too, while it is blocked. */
static void overruns(void)
{
    struct timespec tick;
    clock_getres(CLOCK_MONOTONIC, &tick);
    struct sigaction action = { .sa_handler = take };
    sigaction(SIGUSR1, &action, NULL);
    timer_t timer = timer_of(CLOCK_MONOTONIC, SIGUSR1), quiet = timer_of(CLOCK_REALTIME, SIGCONT);
    block(SIG_BLOCK, SIGUSR1);
    block(SIG_BLOCK, SIGCONT);
    taken = 0;
    set(timer, 0, 2 * MILLISECOND, 5 * MILLISECOND);
    set(quiet, 0, 2 * MILLISECOND, 5 * MILLISECOND);
    rest(2 * MILLISECOND + 75 * 5 * MILLISECOND + 2 * MILLISECOND);
    block(SIG_UNBLOCK, SIGUSR1);
    block(SIG_UNBLOCK, SIGCONT);
    CHECK(taken == 1 && timer_getoverrun(timer) == 75 && timer_getoverrun(quiet) == 75);
    /* and from there on as if nothing had been */
    rest(5 * MILLISECOND);
    CHECK(taken == 2 && timer_getoverrun(timer) == 0);
    timer_delete(quiet);
    /* a period of two ticks: the processor is nobody else's meanwhile */
    block(SIG_BLOCK, SIGUSR1);
    set(timer, 0, MILLISECOND, 2 * tick.tv_nsec);
    long long begin = now(CLOCK_MONOTONIC), spent = now(CLOCK_PROCESS_CPUTIME_ID);
    rest(101 * MILLISECOND);
    long expected = 100 * MILLISECOND / (2 * tick.tv_nsec);
    CHECK(now(CLOCK_PROCESS_CPUTIME_ID) - spent < 5 * MILLISECOND);
    taken = 0;
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGUSR1);
    int number = 0;
    CHECK(sigwait(&only, &number) == 0 && number == SIGUSR1);
    long found = timer_getoverrun(timer);
    long most = (now(CLOCK_MONOTONIC) - begin) / (2 * tick.tv_nsec);
    CHECK(found >= expected - 1 && found <= most);
    set(timer, 0, 0, 0);
    struct timespec none = { 0 };
    sigtimedwait(&only, NULL, &none);
    /* a period that is no multiple of a tick is the next one */
    struct itimerspec setting;
    set(timer, 0, SECOND, 2 * tick.tv_nsec + 1);
    CHECK(timer_gettime(timer, &setting) == 0);
    CHECK(setting.it_interval.tv_nsec == 3 * tick.tv_nsec);
    block(SIG_UNBLOCK, SIGUSR1);
    timer_delete(timer);
    /* one that tells nobody goes on, too */
    timer = timer_of(CLOCK_MONOTONIC, 0);
    set(timer, 0, 3 * MILLISECOND, 10 * MILLISECOND);
    rest(8 * MILLISECOND);
    CHECK(timer_gettime(timer, &setting) == 0 && setting.it_value.tv_nsec > 4 * MILLISECOND);
    CHECK(setting.it_value.tv_nsec <= 5 * MILLISECOND);
    set(timer, 0, 3 * MILLISECOND, 0);
    rest(4 * MILLISECOND);
    CHECK(timer_gettime(timer, &setting) == 0 && setting.it_value.tv_nsec == 0);
    timer_delete(timer);
    tell("overruns");
}

static void instants(void)
{
    struct itimerspec setting = { .it_value = { .tv_sec = -1000 } };
    static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };
    struct sigaction action = { .sa_handler = take };
    sigaction(SIGUSR1, &action, NULL);
    for (size_t i = 0; i < COUNT(clocks); i++) {
        timer_t timer = timer_of(clocks[i], SIGUSR1);
        /* before the clock began: at once; from now on it would be no time */
        taken = 0;
        CHECK(timer_settime(timer, TIMER_ABSTIME, &setting, NULL) == 0 && taken == 1);
        errno = 0;
        CHECK(timer_settime(timer, 0, &setting, NULL) == -1 && errno == EINVAL);
        /* what has been missed since then are overruns */
        taken = 0;
        set(timer, TIMER_ABSTIME, now(clocks[i]) - 25 * MILLISECOND, 10 * MILLISECOND);
        CHECK(taken == 1 && timer_getoverrun(timer) == 2);
        rest(6 * MILLISECOND);
        CHECK(taken == 2 && timer_getoverrun(timer) == 0);
        set(timer, 0, 0, 0);
        /* what was set is what is left, whatever the clock shows */
        struct itimerspec left;
        set(timer, TIMER_ABSTIME, now(clocks[i]) + 5 * SECOND, SECOND);
        CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 4);
        CHECK(left.it_interval.tv_sec == 1);
        timer_delete(timer);
    }
    tell("instants");
}

static void set_clock(long long by)
{
    struct timespec time = at(now(CLOCK_REALTIME) + by);
    CHECK(clock_settime(CLOCK_REALTIME, &time) == 0);
}

/* Periods when CLOCK_REALTIME is set: of an instant of it they follow it, forwards with overruns,
 * and backwards not before; others go on as if nothing had been. */
static void settings(void)
{
    struct sigaction action = { .sa_handler = take };
    struct itimerspec left;
    sigaction(SIGUSR1, &action, NULL);
    timer_t by_clock = timer_of(CLOCK_REALTIME, SIGUSR1);
    set(by_clock, TIMER_ABSTIME, now(CLOCK_REALTIME) + 10 * MILLISECOND, 10 * MILLISECOND);
    taken = 0;
    rest(11 * MILLISECOND);
    CHECK(taken == 1);
    /* 1 ms of the second period has gone: 500 of 10 ms are behind us at once */
    set_clock(5 * SECOND);
    CHECK(taken == 2 && timer_getoverrun(by_clock) == 499);
    rest(9 * MILLISECOND + MILLISECOND / 2);
    CHECK(taken == 3 && timer_getoverrun(by_clock) == 0);
    set_clock(-2 * SECOND);
    rest(50 * MILLISECOND);
    CHECK(taken == 3 && timer_gettime(by_clock, &left) == 0 && left.it_value.tv_sec == 1);
    set_clock(2 * SECOND - 50 * MILLISECOND + 10 * MILLISECOND);
    CHECK(taken == 4 && timer_getoverrun(by_clock) == 0);
    timer_delete(by_clock);
    timer_t others[] = { timer_of(CLOCK_REALTIME, SIGUSR1), timer_of(CLOCK_MONOTONIC, SIGUSR1) };
    for (size_t i = 0; i < COUNT(others); i++) {
        taken = 0;
        set(others[i], i == 0 ? 0 : TIMER_ABSTIME,
            (i == 0 ? 0 : now(CLOCK_MONOTONIC)) + 10 * MILLISECOND, 10 * MILLISECOND);
        set_clock(SECOND);
        CHECK(taken == 0);
        rest(11 * MILLISECOND);
        CHECK(taken == 1 && timer_getoverrun(others[i]) == 0);
        set_clock(-SECOND);
        rest(10 * MILLISECOND);
        CHECK(taken == 2 && timer_getoverrun(others[i]) == 0);
        timer_delete(others[i]);
    }
    tell("settings");
}

static void *compute_a_while(void *argument)
{
    compute(20 * MILLISECOND);
    return argument;
}

/* The clock of the process is all of its threads'. */
static void of_process(void)
{
    struct sigaction action = { .sa_handler = take };
    sigaction(SIGUSR1, &action, NULL);
    timer_t timer = timer_of(CLOCK_PROCESS_CPUTIME_ID, SIGUSR1);
    taken = 0;
    set(timer, 0, 50 * MILLISECOND, 0);
    long long due = now(CLOCK_PROCESS_CPUTIME_ID) + 50 * MILLISECOND;
    rest(100 * MILLISECOND);
    CHECK(taken == 0);
    pthread_t one = start(SCHED_RR, 15, compute_a_while, NULL);
    pthread_t two = start(SCHED_RR, 15, compute_a_while, NULL);
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0 && taken == 0);
    while (!taken)
        ;
    long long late = now(CLOCK_PROCESS_CPUTIME_ID) - due;
    CHECK(taken == 1 && late >= 0 && late < MILLISECOND);
    timer_delete(timer);
    tell("of the process");
}

/* ---- Signals ---------------------------------------------------------------------------------- */

static void pending(void)
{
    static const int numbers[] = { SIGRTMIN + 2, SIGUSR2, SIGRTMIN, SIGTERM, SIGUSR1, SIGRTMIN };
    struct sigaction action = { .sa_handler = take };
    union sigval value = { 0 };
    sigset_t all, found;
    sigfillset(&all);
    CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    memset(order, 0, sizeof order);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        sigaction(numbers[i], &action, NULL);
        CHECK(sigqueue(getpid(), numbers[i], value) == 0);
    }
    CHECK(sigpending(&found) == 0 && sigismember(&found, SIGUSR1) == 1 && came(""));
    CHECK(sigismember(&found, SIGHUP) == 0 && sigismember(&found, SIGRTMIN + 1) == 0);
    /* one that is blocked stays, though nothing would come of it; whoever waits for it takes it */
    CHECK(raise(SIGCONT) == 0 && raise(SIGCHLD) == 0 && sigpending(&found) == 0);
    CHECK(sigismember(&found, SIGCONT) == 1 && sigismember(&found, SIGCHLD) == 1);
    sigset_t one;
    int number = 0;
    sigemptyset(&one);
    sigaddset(&one, SIGCONT);
    CHECK(sigwait(&one, &number) == 0 && number == SIGCONT);
    /* the time does not matter if there is nothing to wait for */
    struct timespec wrong = { .tv_nsec = -1 };
    sigemptyset(&one);
    sigaddset(&one, SIGCHLD);
    CHECK(sigtimedwait(&one, NULL, &wrong) == SIGCHLD);
    errno = 0;
    CHECK(sigtimedwait(&one, NULL, &wrong) == -1 && errno == EINVAL);
    /* all at once, the lowest number first, before the function returns */
    sigemptyset(&found);
    CHECK(sigprocmask(SIG_SETMASK, &found, NULL) == 0);
    CHECK(came("kmpAAC"));
    CHECK(sigpending(&found) == 0 && sigismember(&found, SIGUSR1) == 0);
    /* an ignored one that is not blocked is gone; a pending one is when it is to be ignored */
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    block(SIG_BLOCK, SIGUSR1);
    CHECK(raise(SIGUSR1) == 0 && sigaction(SIGUSR1, &ignore, NULL) == 0);
    CHECK(sigpending(&found) == 0 && sigismember(&found, SIGUSR1) == 0);
    block(SIG_UNBLOCK, SIGUSR1);
    CHECK(raise(SIGUSR1) == 0 && came(""));
    /* a timer that is gone, and a new one in its place: each has its own signal */
    block(SIG_BLOCK, SIGUSR2);
    timer_t gone = timer_of(CLOCK_MONOTONIC, SIGUSR2);
    set(gone, 0, MILLISECOND, 0);
    rest(2 * MILLISECOND);
    CHECK(timer_delete(gone) == 0);
    timer_t fresh = timer_of(CLOCK_MONOTONIC, SIGUSR2);
    set(fresh, 0, MILLISECOND, MILLISECOND);
    rest(3 * MILLISECOND + MILLISECOND / 2);
    block(SIG_UNBLOCK, SIGUSR2);
    CHECK(came("m") && timer_getoverrun(fresh) == 0);
    timer_delete(fresh);
    tell("pending");
}

/* ---- Read-write locks ------------------------------------------------------------------------- */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reads(void *letter)
{
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    note(*(char *)letter);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void *writes(void *letter)
{
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    note(*(char *)letter);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void read_write(void)
{
    /* whoever reads passes those that wait to write and are less urgent, and no others */
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    pthread_t writer = start(SCHED_FIFO, 25, writes, "W");
    pthread_t above = start(SCHED_FIFO, 30, reads, "a");
    CHECK(came("a"));
    pthread_t equal = start(SCHED_FIFO, 25, reads, "e");
    CHECK(came("") && pthread_rwlock_tryrdlock(&lock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && came("We"));
    CHECK(pthread_join(writer, NULL) == 0 && pthread_join(above, NULL) == 0);
    CHECK(pthread_join(equal, NULL) == 0);
    /* when it is free the most urgent is first, whatever it wants */
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    writer = start(SCHED_FIFO, 25, writes, "W");
    above = start(SCHED_FIFO, 30, reads, "a");
    equal = start(SCHED_FIFO, 24, reads, "b");
    CHECK(came("") && pthread_rwlock_unlock(&lock) == 0 && came("aWb"));
    CHECK(pthread_join(writer, NULL) == 0 && pthread_join(above, NULL) == 0);
    CHECK(pthread_join(equal, NULL) == 0);
    tell("read-write");
}

int main(void)
{
    scheduling();
    at_once();
    quanta();
    environment();
    joins();
    clocks();
    sleeps();
    overruns();
    instants();
    settings();
    of_process();
    pending();
    read_write();
    main_thread = pthread_self();
    sem_init(&ended, 0, 0);
    start(SCHED_FIFO, 30, join_main, &ended);
    rest(2 * MILLISECOND);
    pthread_exit(&ended);
}
