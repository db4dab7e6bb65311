/* Threads: their beginning and end, attributes, priorities, and what each has of its own. */

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

static char order[16];

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
    memset(order, 0, sizeof order);
    return same;
}

static void *echo(void *argument)
{
    note('e');
    return argument;
}

static void *leave(void *argument)
{
    pthread_exit(argument);
}

static void *itself(void *place)
{
    *(pthread_t *)place = pthread_self();
    return NULL;
}

static void *join_other(void *other)
{
    return (void *)(intptr_t)pthread_join(*(pthread_t *)other, NULL);
}

static void *rest(void *argument)
{
    struct timespec moment = { .tv_nsec = 1000000 };
    nanosleep(&moment, NULL);
    return argument;
}

static void life(void)
{
    static pthread_t joined;
    pthread_t one, two, three, four, self = pthread_self(), seen = 0;
    void *value = NULL;
    int word;
    CHECK(pthread_equal(self, pthread_self()) && self != 0);
    CHECK(pthread_create(&one, NULL, echo, &word) == 0 && !pthread_equal(one, self));
    CHECK(pthread_join(one, &value) == 0 && value == &word && came("e"));
    CHECK(pthread_join(one, &value) == ESRCH && pthread_detach(one) == ESRCH);
    CHECK(pthread_create(&two, NULL, leave, &value) == 0 && !pthread_equal(one, two));
    CHECK(pthread_join(two, &value) == 0 && value == &value);
    CHECK(pthread_create(&one, NULL, itself, &seen) == 0 && pthread_join(one, NULL) == 0);
    CHECK(pthread_equal(one, seen));
    CHECK(pthread_join(pthread_self(), NULL) != 0 && pthread_join(0, NULL) == ESRCH);
    CHECK(pthread_join(UINT64_MAX, NULL) == ESRCH && pthread_detach(7) == ESRCH);
    // a thread that joins itself
    CHECK(pthread_create(&one, NULL, join_other, &joined) == 0);
    joined = one;
    CHECK(pthread_join(one, &value) == 0 && (intptr_t)value == EDEADLK);
    // as many as there are places
    CHECK(pthread_create(&one, NULL, rest, NULL) == 0);
    CHECK(pthread_create(&two, NULL, rest, NULL) == 0);
    CHECK(pthread_create(&three, NULL, rest, NULL) == 0);
    CHECK(pthread_create(&four, NULL, rest, NULL) == EAGAIN);
    CHECK(pthread_detach(one) == 0 && pthread_join(one, NULL) == EINVAL);
    CHECK(pthread_detach(one) == EINVAL);
    CHECK(pthread_join(two, NULL) == 0 && pthread_join(three, NULL) == 0);
    rest(NULL);
    CHECK(pthread_detach(one) == ESRCH);
    // ended and not joined, then detached: its place is free again
    for (int i = 0; i < 5; i++) {
        CHECK(pthread_create(&one, NULL, echo, NULL) == 0);
        rest(NULL);
        CHECK(pthread_detach(one) == 0 && pthread_detach(one) == ESRCH);
    }
    CHECK(came("eeeee"));
    CHECK(pthread_atfork(NULL, NULL, NULL) == 0);
    tell("life");
}

static _Alignas(16) char own_stack[4096];

static void *where(void *place)
{
    char here;
    *(uintptr_t *)place = (uintptr_t)&here;
    return (void *)(intptr_t)(printf("on a stack of %d bytes\n", (int)sizeof own_stack) > 0);
}

static void attributes(void)
{
    pthread_attr_t attr;
    int number;
    size_t bytes;
    void *stack;
    struct sched_param param;
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_getdetachstate(&attr, &number) == 0 && number == PTHREAD_CREATE_JOINABLE);
    CHECK(pthread_attr_getinheritsched(&attr, &number) == 0 && number == PTHREAD_INHERIT_SCHED);
    CHECK(pthread_attr_getschedpolicy(&attr, &number) == 0 && number == SCHED_FIFO);
    CHECK(pthread_attr_getscope(&attr, &number) == 0 && number == PTHREAD_SCOPE_SYSTEM);
    CHECK(pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes == 8192);
    CHECK(pthread_attr_setdetachstate(&attr, 7) == EINVAL);
    CHECK(pthread_attr_setinheritsched(&attr, 7) == EINVAL);
    CHECK(pthread_attr_setschedpolicy(&attr, 77) == EINVAL);
    CHECK(pthread_attr_setschedpolicy(&attr, SCHED_OTHER) == 0);
    CHECK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO) == 0);
    CHECK(pthread_attr_setscope(&attr, 7) == EINVAL);
    CHECK(pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    CHECK(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0);
    CHECK(pthread_attr_setguardsize(&attr, 64) == 0);
    CHECK(pthread_attr_getguardsize(&attr, &bytes) == 0 && bytes == 64);
    param.sched_priority = 256;
    CHECK(pthread_attr_setschedparam(&attr, &param) == EINVAL);
    param.sched_priority = 30;
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    param.sched_priority = 0;
    CHECK(pthread_attr_getschedparam(&attr, &param) == 0 && param.sched_priority == 30);

    pthread_t thread;
    CHECK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    CHECK(pthread_attr_getdetachstate(&attr, &number) == 0 && number == PTHREAD_CREATE_DETACHED);
    CHECK(pthread_create(&thread, &attr, rest, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == EINVAL);
    rest(NULL);
    rest(NULL);
    CHECK(pthread_join(thread, NULL) == ESRCH);
    CHECK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE) == 0);

    CHECK(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN - 1) == EINVAL);
    CHECK(pthread_attr_setstacksize(&attr, 8193) == 0);
    CHECK(pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes == 8193);
    CHECK(pthread_create(&thread, &attr, echo, NULL) == EAGAIN);
    CHECK(pthread_attr_setstack(&attr, own_stack, 16) == EINVAL);
    CHECK(pthread_attr_setstack(&attr, own_stack + 1, sizeof own_stack - 16) == EINVAL);
    CHECK(pthread_attr_setstack(&attr, own_stack, sizeof own_stack) == 0);
    CHECK(pthread_attr_getstack(&attr, &stack, &bytes) == 0 && stack == own_stack);
    CHECK(bytes == sizeof own_stack);
    uintptr_t here = 0;
    void *value = NULL;
    CHECK(pthread_create(&thread, &attr, where, &here) == 0);
    CHECK(pthread_join(thread, &value) == 0 && (intptr_t)value == 1);
    CHECK(here - (uintptr_t)own_stack < sizeof own_stack);
    CHECK(pthread_attr_setstackaddr(&attr, own_stack + 16) == 0);
    CHECK(pthread_attr_getstackaddr(&attr, &stack) == 0 && stack == own_stack + 16);
    CHECK(pthread_attr_setstackaddr(&attr, own_stack + 1) == EINVAL);

    CHECK(pthread_attr_destroy(&attr) == 0 && pthread_attr_destroy(&attr) == EINVAL);
    CHECK(pthread_create(&thread, &attr, echo, NULL) == EINVAL);
    CHECK(pthread_attr_getscope(&attr, &number) == EINVAL);
    tell("attributes");
}

static void *priority(void *argument)
{
    struct sched_param param;
    int policy;
    note('p');
    if (pthread_getschedparam(pthread_self(), &policy, &param) != 0 || policy != SCHED_FIFO)
        return NULL;
    (void)argument;
    return (void *)(intptr_t)param.sched_priority;
}

static void priorities(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    struct sched_param param;
    void *value;
    int policy;
    CHECK(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
    CHECK(policy == SCHED_FIFO && param.sched_priority == 20);
    // by default that of the creator, whatever the attributes say
    pthread_attr_init(&attr);
    param.sched_priority = 35;
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, priority, NULL) == 0 && came(""));
    CHECK(pthread_getschedparam(thread, &policy, &param) == 0 && param.sched_priority == 20);
    CHECK(pthread_join(thread, &value) == 0 && (intptr_t)value == 20 && came("p"));
    // a more urgent one runs at once, but not before its id is known
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_create(&thread, &attr, priority, NULL) == 0 && came("p"));
    CHECK(pthread_getschedparam(thread, &policy, &param) == ESRCH);
    CHECK(pthread_join(thread, &value) == 0 && (intptr_t)value == 35);
    param.sched_priority = 41;
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, priority, NULL) == EPERM);
    param.sched_priority = 10;
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, priority, NULL) == 0 && came(""));
    CHECK(pthread_setschedprio(thread, 41) == EPERM && pthread_setschedprio(thread, -1) == EINVAL);
    CHECK(came("") && pthread_setschedprio(thread, 25) == 0 && came("p"));
    CHECK(pthread_join(thread, &value) == 0 && (intptr_t)value == 25);
    CHECK(pthread_setschedprio(thread, 25) == ESRCH);
    param.sched_priority = 15;
    CHECK(pthread_setschedparam(pthread_self(), 77, &param) == EINVAL);
    CHECK(pthread_create(&thread, NULL, priority, NULL) == 0 && came(""));
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0 && came("p"));
    param.sched_priority = 20;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_setschedparam(thread, SCHED_FIFO, &param) == ESRCH);
    CHECK(pthread_getconcurrency() == 0 && pthread_setconcurrency(-1) == EINVAL);
    CHECK(pthread_setconcurrency(3) == 0 && pthread_getconcurrency() == 3);
    tell("priorities");
}

static pthread_key_t first, second;
static int rounds;

static void destroyed(void *value)
{
    note(*(char *)value);
    if (pthread_getspecific(first) != NULL)
        note('!');
}

static void stubborn(void *value)
{
    rounds++;
    pthread_setspecific(second, value);
}

static void *with_values(void *value)
{
    int error = pthread_getspecific(first) != NULL;
    error += pthread_setspecific(first, value) + pthread_setspecific(second, value);
    error += pthread_getspecific(first) != value;
    return (void *)(intptr_t)error;
}

static void keys(void)
{
    static char letter = 'd';
    pthread_t thread;
    void *value;
    CHECK(pthread_key_create(&first, destroyed) == 0);
    CHECK(pthread_key_create(&second, stubborn) == 0 && first != second);
    CHECK(pthread_getspecific(first) == NULL && pthread_setspecific(first, &thread) == 0);
    CHECK(pthread_create(&thread, NULL, with_values, &letter) == 0);
    CHECK(pthread_join(thread, &value) == 0 && value == NULL && came("d"));
    CHECK(rounds == PTHREAD_DESTRUCTOR_ITERATIONS);
    CHECK(pthread_getspecific(first) == &thread);
    // a deleted key: no destructor, and a new one begins with NULL
    CHECK(pthread_key_delete(first) == 0 && pthread_key_delete(first) == EINVAL);
    CHECK(pthread_setspecific(first, &letter) == EINVAL);
    CHECK(pthread_key_create(&first, NULL) == 0 && pthread_getspecific(first) == NULL);
    pthread_key_t all[PTHREAD_KEYS_MAX];
    int count = 0, error;
    while ((error = pthread_key_create(&all[count], NULL)) == 0)
        count++;
    CHECK(error == EAGAIN && count == PTHREAD_KEYS_MAX - 2);
    CHECK(pthread_setspecific(all[count - 1], &letter) == 0);
    CHECK(pthread_getspecific(all[count - 1]) == &letter);
    while (count > 0)
        error |= pthread_key_delete(all[--count]) << 8;
    CHECK(error == EAGAIN && pthread_key_delete(PTHREAD_KEYS_MAX) == EINVAL);
    tell("keys");
}

static void clean(void *letter)
{
    note(*(char *)letter);
}

static void *cleans_up(void *does_exit)
{
    pthread_cleanup_push(clean, "a");
    pthread_cleanup_push(clean, "b");
    pthread_cleanup_push(clean, "c");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(clean, "d");
    pthread_cleanup_pop(0);
    if (does_exit != NULL)
        pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    return NULL;
}

static void cleanup(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cleans_up, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && came("ca"));
    CHECK(pthread_create(&thread, NULL, cleans_up, order) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && came("cba"));
    tell("cleanup");
}

static void names(void)
{
    char name[16] = "x";
    pthread_t thread, self = pthread_self();
    CHECK(pthread_getname_np(self, name, sizeof name) == 0 && name[0] == 0);
    CHECK(pthread_setname_np(self, "0123456789abcdef") == ERANGE);
    CHECK(pthread_setname_np(self, "0123456789abcde") == 0);
    CHECK(pthread_getname_np(self, name, 15) == ERANGE);
    CHECK(pthread_getname_np(self, name, 16) == 0 && strcmp(name, "0123456789abcde") == 0);
    CHECK(pthread_create(&thread, NULL, echo, NULL) == 0);
    CHECK(pthread_setname_np(thread, "echo") == 0);
    CHECK(pthread_getname_np(thread, name, 5) == 0 && strcmp(name, "echo") == 0);
    CHECK(pthread_join(thread, NULL) == 0 && pthread_setname_np(thread, "echo") == ESRCH);
    CHECK(pthread_getname_np(thread, name, 16) == ESRCH);
    tell("names");
}

static int64_t shown(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return -1;
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void clocks(void)
{
    pthread_t thread;
    clockid_t own, other;
    CHECK(pthread_getcpuclockid(pthread_self(), &own) == 0 && own != CLOCK_THREAD_CPUTIME_ID);
    int64_t first = shown(own), second = shown(CLOCK_THREAD_CPUTIME_ID), third = shown(own);
    CHECK(0 < first && first <= second && second <= third);
    CHECK(pthread_create(&thread, NULL, rest, NULL) == 0);
    CHECK(pthread_getcpuclockid(thread, &other) == 0 && other != own);
    CHECK(shown(other) == 0);
    struct timespec half = { .tv_nsec = 500000 };
    nanosleep(&half, NULL);
    /* it has run until it slept, and does not run now */
    first = shown(other);
    CHECK(first > 0 && first < 500000 && shown(other) == first);
    CHECK(clock_getres(other, &half) == 0 && half.tv_sec == 0 && half.tv_nsec > 0);
    CHECK(first + shown(own) <= shown(CLOCK_PROCESS_CPUTIME_ID));
    first = shown(CLOCK_PROCESS_CPUTIME_ID);
    CHECK(pthread_join(thread, NULL) == 0 && pthread_getcpuclockid(thread, &own) == ESRCH);
    errno = 0;
    CHECK(shown(other) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(clock_getres(other, NULL) == -1 && errno == EINVAL);
    CHECK(shown(CLOCK_PROCESS_CPUTIME_ID) > first);
    tell("clocks");
}

static pthread_t of_main;

static void *after_main(void *argument)
{
    CHECK(pthread_equal(of_main, pthread_self()) == 0);
    rest(argument);
    CHECK(pthread_setname_np(of_main, "gone") == ESRCH);
    tell("after main");
    exit(0);
}

int main(void)
{
    pthread_t thread;
    life();
    attributes();
    priorities();
    keys();
    cleanup();
    names();
    clocks();
    of_main = pthread_self();
    CHECK(pthread_create(&thread, NULL, after_main, NULL) == 0);
    pthread_exit(NULL);
}
