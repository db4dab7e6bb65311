/* Signals: handlers, masks, queues, and what they end. */

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "start.h"

#define MILLISECOND 1000000

static volatile int ran;
static char order[32];

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
    struct timespec time = { .tv_nsec = milliseconds * MILLISECOND };
    while (nanosleep(&time, &time) != 0)
        ;
}

static void count(int number)
{
    (void)number;
    ran++;
    errno = EDOM;
}

static void catch(int number, void (*handler)(int), int flags)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
    CHECK(sigemptyset(&action.sa_mask) == 0);
    CHECK(sigaction(number, &action, NULL) == 0);
}

static sigset_t only(int number)
{
    sigset_t set;
    sigemptyset(&set);
    CHECK(sigaddset(&set, number) == 0);
    return set;
}

static void sets(void)
{
    sigset_t set;
    CHECK(sigemptyset(&set) == 0 && sigismember(&set, SIGUSR1) == 0);
    CHECK(sigaddset(&set, SIGUSR1) == 0 && sigismember(&set, SIGUSR1) == 1);
    CHECK(sigaddset(&set, 0) == -1 && errno == EINVAL && sigaddset(&set, NSIG) == -1);
    CHECK(sigdelset(&set, SIGUSR1) == 0 && sigismember(&set, SIGUSR1) == 0);
    CHECK(sigfillset(&set) == 0 && sigismember(&set, SIGRTMAX) == 1);
    CHECK(sigismember(&set, NSIG) == -1 && errno == EINVAL);
    tell("sets");
}

static void nested(int number)
{
    note('<');
    if (number == SIGUSR1)
        raise(SIGUSR2);
    raise(number);
    note(number == SIGUSR1 ? '1' : '2');
}

static void twice(int number)
{
    note('t');
    if (ran++ == 0)
        raise(number);
    note('u');
}

static void handlers(void)
{
    struct sigaction before;
    sigset_t pending;
    catch(SIGUSR1, count, 0);
    errno = 0;
    CHECK(raise(SIGUSR1) == 0 && ran == 1 && errno == 0);
    CHECK(kill(getpid(), SIGUSR1) == 0 && ran == 2 && kill(getpid(), 0) == 0);
    CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0 && ran == 3);
    CHECK(kill(77, SIGUSR1) == -1 && errno == ESRCH && kill(getpid(), 99) == -1 && errno == EINVAL);
    CHECK(pthread_kill(77, SIGUSR1) == ESRCH && pthread_kill(pthread_self(), -1) == EINVAL);
    CHECK(pthread_kill(pthread_self(), 0) == 0 && raise(NSIG) == -1);
    CHECK(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == count);
    CHECK(sigaction(SIGKILL, &before, NULL) == -1 && errno == EINVAL);
    CHECK(sigaction(NSIG, NULL, &before) == -1 && errno == EINVAL);
    // one blocks itself while its handler runs, and comes once more behind it
    catch(SIGUSR1, nested, 0);
    catch(SIGUSR2, count, 0);
    sigset_t set = only(SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGUSR1) == 0 && came(""));
    CHECK(sigpending(&pending) == 0 && pending == set);
    CHECK(raise(SIGUSR1) == 0 && signal(SIGUSR1, SIG_IGN) == nested);
    CHECK(sigpending(&pending) == 0 && pending == 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &pending) == 0 && pending == set && came(""));
    CHECK(raise(SIGUSR1) == 0 && signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    CHECK(raise(SIGCHLD) == 0 && raise(SIGCONT) == 0);
    ran = 0;
    catch(SIGUSR1, twice, SA_NODEFER);
    CHECK(raise(SIGUSR1) == 0 && came("ttuu"));
    ran = 0;
    catch(SIGUSR1, twice, 0);
    CHECK(raise(SIGUSR1) == 0 && came("tutu"));
    catch(SIGUSR1, count, SA_RESETHAND);
    CHECK(raise(SIGUSR1) == 0 && sigaction(SIGUSR1, NULL, &before) == 0);
    CHECK(before.sa_handler == SIG_DFL);
    CHECK(sigprocmask(7, &set, NULL) == -1 && errno == EINVAL);
    CHECK(pthread_sigmask(7, &set, NULL) == EINVAL && pthread_sigmask(7, NULL, NULL) == 0);
    CHECK(signal(SIGKILL, SIG_IGN) == SIG_ERR && signal(0, SIG_IGN) == SIG_ERR);
    tell("handlers");
}

static void told(int number, siginfo_t *info, void *context)
{
    (void)context;
    CHECK(number == info->si_signo && info->si_code == SI_QUEUE);
    note((char)info->si_value.sival_int);
}

static void queues(void)
{
    struct sigaction action = { .sa_sigaction = told, .sa_flags = SA_SIGINFO };
    sigset_t set = only(SIGRTMIN), old;
    siginfo_t info;
    struct timespec none = { 0, 0 }, soon = { .tv_nsec = MILLISECOND }, bad = { .tv_nsec = -1 };
    sigaddset(&set, SIGRTMIN + 1);
    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
    CHECK(sigaction(SIGRTMIN + 1, &action, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = 'x' + i }) == 0);
        CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 'a' + i }) == 0);
    }
    CHECK(came("") && sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == 'a');
    CHECK(sigtimedwait(&set, NULL, &none) == SIGRTMIN);
    CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0 && came("cxyz"));
    CHECK(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
    CHECK(sigtimedwait(&set, &info, &none) == -1 && errno == EAGAIN);
    CHECK(sigtimedwait(&set, &info, &soon) == -1 && errno == EAGAIN);
    CHECK(sigtimedwait(&set, &info, &bad) == -1 && errno == EINVAL);
    // a queue has an end
    set = only(SIGRTMAX);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    for (int i = 0; i < SIGQUEUE_MAX; i++)
        CHECK(sigqueue(getpid(), SIGRTMAX, (union sigval){ .sival_int = i }) == 0);
    CHECK(sigqueue(getpid(), SIGRTMAX, (union sigval){ 0 }) == -1 && errno == EAGAIN);
    // what does not queue has room all the same
    CHECK(pthread_kill(pthread_self(), SIGCHLD) == 0);
    for (int i = 0; i < SIGQUEUE_MAX; i++)
        CHECK(sigwaitinfo(&set, &info) == SIGRTMAX && info.si_value.sival_int == i);
    CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
    tell("queues");
}

/* What a thread does when a signal comes. */
static sem_t ready, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *sleeps(void *argument)
{
    struct timespec time = { .tv_sec = 100 }, left = { 0, 0 };
    int result = nanosleep(&time, &left);
    CHECK(result == -1 && errno == EINTR && left.tv_sec == 99 && left.tv_nsec > 0);
    time.tv_sec = 1000;
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR);
    return argument;
}

static void *takes(void *argument)
{
    int result = sem_wait(&never);
    CHECK((argument != NULL) == (result == 0));
    CHECK(result == 0 || errno == EINTR);
    return NULL;
}

static void *locks(void *argument)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    note('l');
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    return argument;
}

static volatile int changed;

static void *waits(void *argument)
{
    pthread_mutex_lock(&mutex);
    while (!changed)
        CHECK(pthread_cond_wait(&condition, &mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    return argument;
}

static void *joins(void *other)
{
    CHECK(pthread_join(*(pthread_t *)other, NULL) == 0);
    return NULL;
}

static void *ends(void *argument)
{
    sem_wait(&ready);
    return argument;
}

static volatile int go_on;

/* Computes with all the registers that there are, and wants the same every time. */
static void *computes(void *argument)
{
    double a = 1, b = 2, c = 3, d = 0.5;
    unsigned long x = 1, y = 2, z = 3, wrong = 0;
    while (!go_on) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        y = y + x;
        z = z ^ y;
        a = a * d + b;
        b = b * d + c;
        if (x == 0 || a > 100 || b > 100 || a < 0)
            wrong++;
    }
    (void)argument;
    CHECK(wrong == 0 && z != 7 && c == 3);
    return NULL;
}

static void clobber(int number)
{
    volatile double a = number;
    for (int i = 0; i < 5; i++)
        a = a * 1e30 + i;
    ran++;
    sem_post(&ready);
}

static void others(void)
{
    pthread_t thread, other;
    CHECK(sem_init(&ready, 0, 0) == 0 && sem_init(&never, 0, 0) == 0);
    catch(SIGUSR1, count, 0);
    catch(SIGUSR2, count, SA_RESTART);
    ran = 0;
    thread = start(30, sleeps, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && ran == 1 && pthread_kill(thread, SIGUSR2) == 0);
    joined(thread);
    CHECK(ran == 2);
    // which is less urgent than who interrupts it: the handler runs when it has the turn
    thread = start(10, sleeps, NULL);
    rest(1);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && ran == 2);
    rest(1);
    CHECK(ran == 3 && pthread_kill(thread, SIGUSR1) == 0);
    joined(thread);
    ran = 0;
    thread = start(30, takes, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    joined(thread);
    thread = start(30, takes, &ready);
    CHECK(pthread_kill(thread, SIGUSR2) == 0 && ran == 2 && sem_post(&never) == 0);
    joined(thread);
    // a mutex is waited for as if nothing had come
    pthread_mutex_lock(&mutex);
    thread = start(30, locks, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && ran == 3 && came(""));
    pthread_mutex_unlock(&mutex);
    CHECK(came("l"));
    joined(thread);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    thread = start(10, locks, NULL);
    rest(1);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    rest(1);
    CHECK(ran == 4 && came("") && pthread_mutex_unlock(&mutex) == 0);
    joined(thread);
    CHECK(came("l"));
    thread = start(30, waits, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && ran == 5);
    pthread_mutex_lock(&mutex);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && ran == 6);
    changed = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    joined(thread);
    other = start(30, ends, NULL);
    thread = start(31, joins, &other);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && ran == 7 && sem_post(&ready) == 0);
    joined(thread);
    catch(SIGUSR1, clobber, 0);
    thread = start(10, computes, NULL);
    for (int i = 0; i < 20; i++) {
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        sem_wait(&ready);
    }
    rest(1);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    go_on = 1;
    joined(thread);
    CHECK(ran == 28);
    tell("others");
}

static void *accepts(void *argument)
{
    sigset_t set = only(SIGUSR1), block;
    int number = 0;
    sigfillset(&block);
    pthread_sigmask(SIG_SETMASK, &block, NULL);
    CHECK(sigwait(&set, &number) == 0 && number == SIGUSR1);
    note('w');
    return argument;
}

static void *suspended(void *argument)
{
    sigset_t set, old;
    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    sigdelset(&set, SIGUSR2);
    note('s');
    CHECK(sigsuspend(&set) == -1 && errno == EINTR);
    note('S');
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &old) == 0 && sigismember(&old, SIGUSR2) == 1);
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    CHECK(pause() == -1 && errno == EINTR);
    return argument;
}

static void waiting(void)
{
    sigset_t set = only(SIGUSR1), old;
    sigaddset(&set, SIGUSR2);
    catch(SIGUSR1, count, 0);
    catch(SIGUSR2, count, 0);
    ran = 0;
    CHECK(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
    // who waits for it takes it, and no handler runs
    pthread_t thread = start(30, accepts, NULL);
    CHECK(came("") && kill(getpid(), SIGUSR1) == 0 && came("w") && ran == 0);
    joined(thread);
    thread = start(30, accepts, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && came("w") && ran == 0);
    joined(thread);
    // of a process any thread takes it that does not block it
    thread = start(30, suspended, NULL);
    CHECK(came("s") && kill(getpid(), SIGUSR1) == 0 && ran == 0 && came(""));
    // (behind that it blocks none, and takes what is pending for the process)
    CHECK(pthread_kill(thread, SIGUSR2) == 0 && ran == 2 && came("S"));
    CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0 && ran == 2);
    CHECK(pthread_kill(thread, SIGUSR2) == 0 && ran == 3);
    joined(thread);
    tell("waiting");
}

static void give_up(int number)
{
    (void)number;
    note('a');
    CHECK(came("a"));
    tell("abort");
    _exit(0);
}

int main(void)
{
    sets();
    handlers();
    queues();
    others();
    waiting();
    catch(SIGABRT, give_up, 0);
    abort();
}
