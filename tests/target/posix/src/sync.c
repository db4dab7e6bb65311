/* Mutexes of all types and protocols, conditions, once, semaphores, barriers, read-write locks
 * and spin locks. */

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "start.h"

#define MILLISECOND 1000000

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
    nanosleep(&time, NULL);
}

static struct timespec soon(clockid_t clock, long milliseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds * MILLISECOND;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static void make(pthread_mutex_t *mutex, int type, int protocol, int robust, int ceiling)
{
    pthread_mutexattr_t attr;
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_settype(&attr, type) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attr, protocol) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, robust) == 0);
    CHECK(pthread_mutexattr_setprioceiling(&attr, ceiling) == 0);
    CHECK(pthread_mutex_init(mutex, &attr) == 0);
    CHECK(pthread_mutexattr_destroy(&attr) == 0);
}

static void *try(void *mutex)
{
    int error = pthread_mutex_trylock(mutex);
    if (error == 0 || error == EOWNERDEAD)
        pthread_mutex_unlock(mutex);
    return (void *)(intptr_t)error;
}

static void *lock(void *mutex)
{
    int error = pthread_mutex_lock(mutex);
    note('l');
    if (error == 0)
        pthread_mutex_unlock(mutex);
    return (void *)(intptr_t)error;
}

static void *unlock(void *mutex)
{
    return (void *)(intptr_t)pthread_mutex_unlock(mutex);
}

static void *lock_soon(void *mutex)
{
    struct timespec time = soon(CLOCK_REALTIME, 2);
    return (void *)(intptr_t)pthread_mutex_timedlock(mutex, &time);
}

static void *lock_and_end(void *mutex)
{
    return (void *)(intptr_t)pthread_mutex_lock(mutex);
}

static void types(void)
{
    static pthread_mutex_t zero = PTHREAD_MUTEX_INITIALIZER, mutex;
    struct timespec never = { .tv_nsec = -1 }, past = { 0, 0 };
    CHECK(pthread_mutex_lock(&zero) == 0 && pthread_mutex_lock(&zero) == EDEADLK);
    CHECK(pthread_mutex_trylock(&zero) == EBUSY && pthread_mutex_destroy(&zero) == EBUSY);
    CHECK(joined(start(30, try, &zero)) == EBUSY && joined(start(30, unlock, &zero)) == EPERM);
    CHECK(joined(start(30, lock_soon, &zero)) == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&zero) == 0 && pthread_mutex_unlock(&zero) == EPERM);
    CHECK(joined(start(30, try, &zero)) == 0);
    // a time counts only if there is something to wait for
    CHECK(pthread_mutex_timedlock(&zero, &never) == 0);
    CHECK(pthread_mutex_timedlock(&zero, &past) == EDEADLK);
    CHECK(pthread_mutex_unlock(&zero) == 0 && pthread_mutex_destroy(&zero) == 0);
    CHECK(pthread_mutex_lock(&zero) == EINVAL && pthread_mutex_destroy(&zero) == EINVAL);
    CHECK(pthread_mutex_trylock(&zero) == EINVAL && pthread_mutex_unlock(&zero) == EPERM);

    make(&mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, 0);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_timedlock(&mutex, &never) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_mutex_unlock(&mutex) == 0 && joined(start(30, try, &mutex)) == EBUSY);
    CHECK(joined(start(30, unlock, &mutex)) == EPERM);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == EPERM);
    CHECK(joined(start(30, try, &mutex)) == 0 && pthread_mutex_destroy(&mutex) == 0);

    make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, 0);
    struct timespec time = soon(CLOCK_REALTIME, 2);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_mutex_timedlock(&mutex, &time) == ETIMEDOUT);
    CHECK(pthread_mutex_timedlock(&mutex, &never) == EINVAL);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_destroy(&mutex) == 0);
    tell("types");
}

/* A thread in the middle does not keep the owner from who is more urgent. */
static void *middle(void *mutex)
{
    (void)mutex;
    note('m');
    return NULL;
}

static void *hold(void *mutex)
{
    pthread_mutex_lock(mutex);
    note('h');
    pthread_t high = start(38, lock, mutex), mid = start(32, middle, NULL);
    note('i');
    pthread_mutex_unlock(mutex);
    note('o');
    joined(high);
    joined(mid);
    return NULL;
}

static void inherit(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    joined(start(25, hold, &mutex));
    CHECK(came("hilmo"));
    pthread_t all[3];
    // in the order of priority, whoever came first
    pthread_mutex_lock(&mutex);
    all[0] = start(22, lock, &mutex);
    all[1] = start(24, lock, &mutex);
    all[2] = start(23, lock, &mutex);
    note('u');
    CHECK(pthread_mutex_unlock(&mutex) == 0 && came("ulll"));
    for (int i = 0; i < 3; i++)
        CHECK(joined(all[i]) == 0);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    tell("inherit");
}

static void *hold_protected(void *mutexes)
{
    pthread_mutex_t *mutex = mutexes;
    pthread_mutex_lock(&mutex[0]);
    pthread_mutex_lock(&mutex[1]);
    note('h');
    pthread_t low = start(28, middle, NULL), mid = start(32, middle, NULL);
    pthread_t high = start(38, middle, NULL);
    note('a');
    // not in the order in which they were locked
    pthread_mutex_unlock(&mutex[0]);
    note('b');
    pthread_mutex_unlock(&mutex[1]);
    note('c');
    joined(low);
    joined(mid);
    joined(high);
    return NULL;
}

static void protect(void)
{
    static pthread_mutex_t mutex[2];
    int ceiling;
    make(&mutex[0], PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED, 35);
    make(&mutex[1], PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED, 30);
    joined(start(25, hold_protected, mutex));
    CHECK(came("hmambmc"));
    CHECK(joined(start(36, lock, &mutex[0])) == EINVAL && joined(start(36, try, &mutex[0])) == EINVAL);
    CHECK(joined(start(35, lock, &mutex[0])) == 0 && came("ll"));
    CHECK(pthread_mutex_getprioceiling(&mutex[1], &ceiling) == 0 && ceiling == 30);
    CHECK(pthread_mutex_setprioceiling(&mutex[1], 39, &ceiling) == 0 && ceiling == 30);
    CHECK(pthread_mutex_setprioceiling(&mutex[1], 256, &ceiling) == EINVAL);
    CHECK(pthread_mutex_getprioceiling(&mutex[1], &ceiling) == 0 && ceiling == 39);
    joined(start(25, hold_protected, mutex));
    CHECK(came("habmmmc"));
    // whoever has one may sleep: who wants it waits then
    pthread_mutex_lock(&mutex[0]);
    pthread_t one = start(30, lock, &mutex[0]);
    rest(1);
    CHECK(came(""));
    CHECK(pthread_mutex_lock(&mutex[0]) == EDEADLK && pthread_mutex_unlock(&mutex[0]) == 0);
    CHECK(joined(one) == 0 && came("l"));
    CHECK(pthread_mutex_destroy(&mutex[0]) == 0 && pthread_mutex_destroy(&mutex[1]) == 0);
    make(&mutex[0], PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED, 35);
    CHECK(pthread_mutex_lock(&mutex[0]) == 0 && pthread_mutex_lock(&mutex[0]) == 0);
    CHECK(pthread_mutex_unlock(&mutex[0]) == 0 && pthread_mutex_unlock(&mutex[0]) == 0);
    CHECK(pthread_mutex_unlock(&mutex[0]) == EPERM && pthread_mutex_destroy(&mutex[0]) == 0);
    tell("protect");
}

static void robust(void)
{
    static pthread_mutex_t mutex;
    for (int recovered = 0; recovered < 2; recovered++) {
        make(&mutex, PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_ROBUST, 0);
        CHECK(pthread_mutex_consistent(&mutex) == EINVAL);
        CHECK(joined(start(30, lock_and_end, &mutex)) == 0);
        CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
        pthread_t one = start(21, lock, &mutex), two = start(22, lock, &mutex);
        CHECK(recovered == 0 || pthread_mutex_consistent(&mutex) == 0);
        CHECK(pthread_mutex_unlock(&mutex) == 0);
        int error = recovered ? 0 : ENOTRECOVERABLE;
        CHECK(joined(one) == error && joined(two) == error && came("ll"));
        CHECK(pthread_mutex_lock(&mutex) == error && pthread_mutex_trylock(&mutex) != 0);
        CHECK(pthread_mutex_unlock(&mutex) == (recovered ? 0 : EPERM));
        CHECK(pthread_mutex_destroy(&mutex) == 0);
    }
    // one that is not robust is nobody's any more
    make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, 0);
    CHECK(joined(start(30, lock_and_end, &mutex)) == 0);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_lock(&mutex) == EDEADLK);
    CHECK(joined(start(30, lock, &mutex)) == EDEADLK && came("l"));
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    tell("robust");
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tokens;

static void *take(void *letter)
{
    pthread_mutex_lock(&gate);
    while (tokens == 0)
        if (pthread_cond_wait(&changed, &gate) != 0)
            note('?');
    tokens--;
    note(*(char *)letter);
    pthread_mutex_unlock(&gate);
    return NULL;
}

static void give(int more)
{
    pthread_mutex_lock(&gate);
    tokens += more;
    if (more == 1)
        CHECK(pthread_cond_signal(&changed) == 0);
    else
        CHECK(pthread_cond_broadcast(&changed) == 0);
    pthread_mutex_unlock(&gate);
}

static void conditions(void)
{
    static char letters[] = "abc";
    pthread_t all[3];
    pthread_condattr_t attr;
    pthread_cond_t condition;
    clockid_t clock;
    for (int i = 0; i < 3; i++)
        all[i] = start(30 + i, take, &letters[i]);
    CHECK(came("") && pthread_cond_destroy(&changed) == EBUSY);
    give(1);
    CHECK(came("c"));
    give(2);
    CHECK(came("ba"));
    for (int i = 0; i < 3; i++)
        joined(all[i]);
    CHECK(pthread_cond_destroy(&changed) == 0 && pthread_cond_signal(&changed) == EINVAL);
    CHECK(pthread_condattr_init(&attr) == 0 && pthread_condattr_getclock(&attr, &clock) == 0);
    CHECK(clock == CLOCK_REALTIME && pthread_condattr_setclock(&attr, 77) == EINVAL);
    CHECK(pthread_condattr_setclock(&attr, CLOCK_THREAD_CPUTIME_ID) == EINVAL);
    CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&condition, &attr) == 0 && pthread_condattr_destroy(&attr) == 0);
    CHECK(pthread_cond_init(&condition, &attr) == EINVAL);
    struct timespec time = soon(CLOCK_MONOTONIC, 2), after, never = { .tv_nsec = 1000000000 };
    CHECK(pthread_cond_timedwait(&condition, &gate, &time) == EPERM);
    pthread_mutex_lock(&gate);
    CHECK(pthread_cond_timedwait(&condition, &gate, &never) == EINVAL);
    CHECK(pthread_cond_timedwait(&condition, &gate, &time) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(after.tv_sec > time.tv_sec ||
          (after.tv_sec == time.tv_sec && after.tv_nsec >= time.tv_nsec));
    // it has the mutex again
    CHECK(joined(start(30, try, &gate)) == EBUSY && pthread_mutex_unlock(&gate) == 0);
    CHECK(pthread_cond_destroy(&condition) == 0 && pthread_cond_destroy(&condition) == EINVAL);
    tell("conditions");
}

static pthread_mutex_t held_mutex;
static pthread_cond_t held_condition;

static void *wait_with(void *ceiling)
{
    (void)ceiling;
    CHECK(pthread_mutex_lock(&held_mutex) == 0);
    if (ceiling != NULL)
        CHECK(pthread_mutex_lock(&held_mutex) == EDEADLK);
    note('w');
    CHECK(pthread_cond_wait(&held_condition, &held_mutex) == 0);
    // with the ceiling again
    pthread_t mid = start(32, middle, NULL);
    note('x');
    pthread_mutex_unlock(&held_mutex);
    joined(mid);
    return NULL;
}

static void ceiling_of_condition(void)
{
    make(&held_mutex, PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED, 35);
    CHECK(pthread_cond_init(&held_condition, NULL) == 0);
    pthread_t one = start(25, wait_with, &one);
    CHECK(came("w"));
    // the ceiling is not kept while it waits
    joined(start(30, middle, NULL));
    CHECK(came("m"));
    CHECK(pthread_cond_signal(&held_condition) == 0 && joined(one) == 0 && came("xm"));
    CHECK(pthread_mutex_destroy(&held_mutex) == 0 && pthread_cond_destroy(&held_condition) == 0);
    tell("ceiling of a condition");
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void first(void)
{
    note('f');
    rest(1);
    note('d');
}

static void *come_once(void *error)
{
    *(int *)error = pthread_once(&once, first);
    note('o');
    return NULL;
}

static void only_once(void)
{
    int errors[2] = { 1, 1 };
    pthread_t one = start(30, come_once, &errors[0]), two = start(31, come_once, &errors[1]);
    joined(one);
    joined(two);
    CHECK(errors[0] == 0 && errors[1] == 0 && came("fdoo"));
    CHECK(pthread_once(&once, first) == 0 && came(""));
    tell("once");
}

static sem_t sem;

static void *wait_sem(void *letter)
{
    int result = sem_wait(&sem);
    note(*(char *)letter);
    return (void *)(intptr_t)result;
}

static void semaphores(void)
{
    static char letters[] = "abc";
    pthread_t all[3];
    int count;
    struct timespec never = { .tv_nsec = -1 };
    CHECK(sem_init(&sem, 0, SEM_VALUE_MAX + 1u) == -1 && errno == EINVAL);
    CHECK(sem_wait(&sem) == -1 && errno == EINVAL && sem_post(&sem) == -1 && errno == EINVAL);
    CHECK(sem_init(&sem, 0, SEM_VALUE_MAX) == 0 && sem_post(&sem) == -1 && errno == EOVERFLOW);
    CHECK(sem_getvalue(&sem, &count) == 0 && count == SEM_VALUE_MAX);
    CHECK(sem_wait(&sem) == 0 && sem_post(&sem) == 0 && sem_destroy(&sem) == 0);
    CHECK(sem_init(&sem, 0, 1) == 0 && sem_timedwait(&sem, &never) == 0);
    CHECK(sem_trywait(&sem) == -1 && errno == EAGAIN);
    CHECK(sem_timedwait(&sem, &never) == -1 && errno == EINVAL);
    struct timespec time = soon(CLOCK_REALTIME, 2);
    CHECK(sem_timedwait(&sem, &time) == -1 && errno == ETIMEDOUT);
    for (int i = 0; i < 3; i++)
        all[i] = start(30 + i, wait_sem, &letters[i]);
    CHECK(sem_getvalue(&sem, &count) == 0 && count == 0);
    CHECK(sem_destroy(&sem) == -1 && errno == EBUSY);
    CHECK(sem_post(&sem) == 0 && came("c") && sem_post(&sem) == 0 && sem_post(&sem) == 0);
    CHECK(came("ba"));
    for (int i = 0; i < 3; i++)
        CHECK(joined(all[i]) == 0);
    CHECK(sem_post(&sem) == 0 && sem_post(&sem) == 0);
    CHECK(sem_getvalue(&sem, &count) == 0 && count == 2 && sem_destroy(&sem) == 0);

    CHECK(sem_open("/door", 0) == SEM_FAILED && errno == ENOENT);
    sem_t *one = sem_open("/door", O_CREAT, 0600, 1u), *same = sem_open("/door", 0);
    CHECK(one != SEM_FAILED && one == same);
    CHECK(sem_open("/door", O_CREAT | O_EXCL, 0600, 1u) == SEM_FAILED && errno == EEXIST);
    CHECK(sem_wait(one) == 0 && sem_trywait(same) == -1 && sem_unlink("/door") == 0);
    CHECK(sem_unlink("/door") == -1 && errno == ENOENT);
    sem_t *other = sem_open("/door", O_CREAT, 0600, 5u);
    CHECK(other != SEM_FAILED && other != one);
    CHECK(sem_close(one) == 0 && sem_post(same) == 0 && sem_close(same) == 0);
    CHECK(sem_close(same) == -1 && errno == EINVAL);
    CHECK(sem_close(other) == 0 && sem_open("/door", 0) == other && sem_close(other) == 0);
    CHECK(sem_unlink("/door") == 0 && sem_open("", O_CREAT, 0600, 1u) == SEM_FAILED);
    CHECK(sem_open("/a-name-that-is-longer-than-31-bytes", O_CREAT, 0600, 1u) == SEM_FAILED);
    CHECK(errno == ENAMETOOLONG);
    tell("semaphores");
}

static pthread_barrier_t barrier;

static void *meet(void *serial)
{
    for (int i = 0; i < 2; i++) {
        note('b');
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            ++*(int *)serial;
    }
    return NULL;
}

static void barriers(void)
{
    int serial = 0;
    pthread_t all[3];
    CHECK(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0);
    for (int i = 0; i < 3; i++) {
        all[i] = start(30 + i, meet, &serial);
        CHECK(i == 2 || pthread_barrier_destroy(&barrier) == EBUSY);
    }
    for (int i = 0; i < 3; i++)
        joined(all[i]);
    CHECK(serial == 2 && came("bbbbbb") && pthread_barrier_destroy(&barrier) == 0);
    CHECK(pthread_barrier_destroy(&barrier) == EINVAL);
    tell("barriers");
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *argument)
{
    (void)argument;
    int error = pthread_rwlock_rdlock(&rwlock);
    note('r');
    pthread_rwlock_unlock(&rwlock);
    return (void *)(intptr_t)error;
}

static void *writer(void *argument)
{
    (void)argument;
    int error = pthread_rwlock_wrlock(&rwlock);
    note('w');
    pthread_rwlock_unlock(&rwlock);
    return (void *)(intptr_t)error;
}

static void *try_write(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)pthread_rwlock_trywrlock(&rwlock);
}

static void read_write(void)
{
    struct timespec time = soon(CLOCK_REALTIME, 2);
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_tryrdlock(&rwlock) == 0);
    CHECK(joined(start(30, reader, NULL)) == 0 && came("r"));
    CHECK(joined(start(30, try_write, NULL)) == EBUSY);
    CHECK(pthread_rwlock_timedwrlock(&rwlock, &time) == ETIMEDOUT);
    pthread_t to_write = start(30, writer, NULL), to_read = start(30, reader, NULL);
    CHECK(came("") && pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0 && came(""));
    CHECK(pthread_rwlock_unlock(&rwlock) == 0 && came("wr"));
    CHECK(joined(to_write) == 0 && joined(to_read) == 0);
    CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_wrlock(&rwlock) == EDEADLK);
    CHECK(pthread_rwlock_rdlock(&rwlock) == EDEADLK && pthread_rwlock_destroy(&rwlock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == EPERM);
    CHECK(pthread_rwlock_destroy(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == EINVAL);
    pthread_spinlock_t spin;
    CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(pthread_spin_lock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY);
    CHECK(pthread_spin_unlock(&spin) == 0 && pthread_spin_destroy(&spin) == 0);
    tell("read-write locks");
}

static void *print(void *argument)
{
    (void)argument;
    int error = ftrylockfile(stdout);
    printf("from the other\n");
    note('p');
    return (void *)(intptr_t)error;
}

static void *leave_locked(void *argument)
{
    flockfile(stdout);
    return argument;
}

static void streams(void)
{
    flockfile(stdout);
    CHECK(ftrylockfile(stdout) == 0);
    printf("one line, ");
    pthread_t other = start(30, print, NULL);
    funlockfile(stdout);
    printf("of one thread\n");
    CHECK(came(""));
    funlockfile(stdout);
    CHECK(came("p") && joined(other) == EBUSY);
    joined(start(30, leave_locked, NULL));
    CHECK(ftrylockfile(stdout) == 0);
    funlockfile(stdout);
    funlockfile(stdout);
    CHECK(ftrylockfile(stderr) == 0);
    CHECK(joined(start(30, print, NULL)) == 0);
    funlockfile(stderr);
    came("p");
    tell("streams");
}

/* What a thread does without an entry, as often as it loses the processor in it. */
static sem_t supply;
static volatile int is_over;
static int given, refused; /* by and to whoever interferes */

static void *interfere(void *mutexes)
{
    pthread_mutex_t *const *mutex = mutexes;
    for (int i = 0; i < 3000; i++) {
        struct timespec odd = { .tv_nsec = 3000 + i % 29 * 100 }, held_for = { .tv_nsec = 300 };
        nanosleep(&odd, NULL);
        given += sem_post(&supply) == 0;
        refused += pthread_mutex_lock(mutex[i % 2]) != 0;
        nanosleep(&held_for, NULL);
        refused += pthread_mutex_unlock(mutex[i % 2]) != 0;
    }
    is_over = 1;
    return NULL;
}

static void preempted(void)
{
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, with_ceiling;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attr, 40);
    CHECK(pthread_mutex_init(&with_ceiling, &attr) == 0 && sem_init(&supply, 0, 0) == 0);
    pthread_mutex_t *mutexes[] = { &plain, &with_ceiling };
    pthread_t other = start(30, interfere, mutexes);
    int posted = 0, taken = 0, denied = 0, value = -1;
    for (unsigned i = 0; !is_over; i++) {
        posted += sem_post(&supply) == 0;
        taken += sem_trywait(&supply) == 0;
        denied += pthread_mutex_lock(mutexes[i % 2]) != 0;
        denied += pthread_mutex_unlock(mutexes[i % 2]) != 0;
    }
    CHECK(joined(other) == 0 && refused == 0 && denied == 0);
    CHECK(sem_getvalue(&supply, &value) == 0 && value == given + posted - taken);
    tell("preempted");
}

int main(void)
{
    types();
    inherit();
    protect();
    robust();
    conditions();
    ceiling_of_condition();
    only_once();
    semaphores();
    barriers();
    read_write();
    streams();
    preempted();
    return 0;
}
