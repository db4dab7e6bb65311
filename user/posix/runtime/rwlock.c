/* Read-write locks, as POSIX.1 has them with its thread execution scheduling option: whoever
 * wants to read waits for a thread that has it to write, and for those that wait to write and
 * are as urgent; the most urgent of those that wait goes first, of equals who wants to write. */

#include <errno.h>
#include <pthread.h>

/* Defined in Rust: src/condition.rs. No point of cancellation. */
int giornata_posix_await(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                         const struct timespec *time);

#define DESTROYED 1
/* Threads that read at once, at most. */
#define MOST 0xFFFFu

/* Until when somebody waits: for ever, not at all, or until a time of a clock. */
struct until {
    int now;
    clockid_t clock;
    const struct timespec *time;
};

static const struct until NEVER = { 0, CLOCK_REALTIME, NULL };
static const struct until NOW = { 1, CLOCK_REALTIME, NULL };

/* Who waits, on its own stack, with the priority that it then had. */
struct __rwlock_waiter {
    struct __rwlock_waiter *next;
    int priority, to_write;
};

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    int shared;
    if (attributes != NULL && pthread_rwlockattr_getpshared(attributes, &shared) != 0)
        return EINVAL;
    *lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    if (lock->__state == DESTROYED)
        return EINVAL;
    if (lock->__writer != 0 || lock->__reading != 0 || lock->__waiters != NULL)
        return EBUSY;
    lock->__state = DESTROYED;
    return 0;
}

/* The priority of the most urgent that waits to write, or to read; -1: nobody does. */
static int best(const pthread_rwlock_t *lock, int to_write)
{
    int found = -1;
    for (const struct __rwlock_waiter *at = lock->__waiters; at != NULL; at = at->next)
        if (at->to_write == to_write && at->priority > found)
            found = at->priority;
    return found;
}

/* Whoever may have it now is woken: what woken threads find they see for themselves. */
static void wake(pthread_rwlock_t *lock)
{
    if (lock->__writer != 0 || lock->__waiters == NULL)
        return;
    int reader = best(lock, 0), writer = best(lock, 1);
    if (reader > writer)
        pthread_cond_broadcast(&lock->__readers);
    else if (lock->__reading == 0)
        pthread_cond_signal(&lock->__writers);
}

static int own_priority(void)
{
    int policy;
    struct sched_param own;
    pthread_getschedparam(pthread_self(), &policy, &own);
    return own.sched_priority;
}

/* Waits once. */
static int await(pthread_rwlock_t *lock, int to_write, int priority, struct until until)
{
    if (until.now)
        return EBUSY;
    struct __rwlock_waiter own = { lock->__waiters, priority, to_write };
    struct __rwlock_waiter **place = &lock->__waiters;
    lock->__waiters = &own;
    int error = giornata_posix_await(to_write ? &lock->__writers : &lock->__readers,
                                     &lock->__mutex, until.clock, until.time);
    while (*place != &own)
        place = &(*place)->next;
    *place = own.next;
    return error;
}

static int begin(pthread_rwlock_t *lock)
{
    if (lock->__state == DESTROYED)
        return EINVAL;
    return pthread_mutex_lock(&lock->__mutex);
}

static int begin_reading(pthread_rwlock_t *lock, struct until until)
{
    int error = begin(lock);
    if (error != 0)
        return error;
    int priority = lock->__waiters == NULL ? 0 : own_priority();
    if (pthread_equal(lock->__writer, pthread_self()))
        error = until.now ? EBUSY : EDEADLK;
    else if (lock->__reading == MOST)
        error = EAGAIN;
    while (error == 0 && (lock->__writer != 0 || best(lock, 1) >= priority)) {
        priority = own_priority();
        error = await(lock, 0, priority, until);
    }
    if (error == 0)
        lock->__reading++;
    pthread_mutex_unlock(&lock->__mutex);
    return error;
}

static int begin_writing(pthread_rwlock_t *lock, struct until until)
{
    int error = begin(lock);
    if (error != 0)
        return error;
    if (pthread_equal(lock->__writer, pthread_self()))
        error = until.now ? EBUSY : EDEADLK;
    while (error == 0 && (lock->__writer != 0 || lock->__reading != 0))
        error = await(lock, 1, own_priority(), until);
    if (error == 0)
        lock->__writer = pthread_self();
    else
        /* others may have waited only for who has given up */
        wake(lock);
    pthread_mutex_unlock(&lock->__mutex);
    return error;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return begin_reading(lock, NEVER);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return begin_reading(lock, NOW);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time)
{
    return begin_reading(lock, (struct until){ 0, CLOCK_REALTIME, time });
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *time)
{
    return begin_reading(lock, (struct until){ 0, clock, time });
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return begin_writing(lock, NEVER);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return begin_writing(lock, NOW);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time)
{
    return begin_writing(lock, (struct until){ 0, CLOCK_REALTIME, time });
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *time)
{
    return begin_writing(lock, (struct until){ 0, clock, time });
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    int error = begin(lock);
    if (error != 0)
        return error;
    if (lock->__reading != 0)
        lock->__reading--;
    else if (lock->__writer != 0 && pthread_equal(lock->__writer, pthread_self()))
        lock->__writer = 0;
    else
        error = EPERM;
    if (error == 0 && lock->__reading == 0)
        wake(lock);
    pthread_mutex_unlock(&lock->__mutex);
    return error;
}
