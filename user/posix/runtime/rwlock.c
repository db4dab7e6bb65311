/* Read-write locks: who wants to write goes before those that want to read. */

#include <errno.h>
#include <pthread.h>

/* Defined in Rust: src/condition.rs. No point of cancellation. */
int giornata_posix_await(pthread_cond_t *condition, pthread_mutex_t *mutex,
                         const struct timespec *time);

#define DESTROYED 1
/* Threads that read at once, at most. */
#define MOST 0xFFFFu

/* Until when somebody waits: for ever, not at all, or until a time. */
struct until {
    int now;
    const struct timespec *time;
};

static const struct until NEVER = { 0, NULL };
static const struct until NOW = { 1, NULL };

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
    if (lock->__writer != 0 || lock->__reading != 0 || lock->__to_write != 0)
        return EBUSY;
    lock->__state = DESTROYED;
    return 0;
}

/* Waits once. */
static int await(pthread_rwlock_t *lock, pthread_cond_t *condition, struct until until)
{
    if (until.now)
        return EBUSY;
    return giornata_posix_await(condition, &lock->__mutex, until.time);
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
    if (pthread_equal(lock->__writer, pthread_self()))
        error = until.now ? EBUSY : EDEADLK;
    else if (lock->__reading == MOST)
        error = EAGAIN;
    while (error == 0 && (lock->__writer != 0 || lock->__to_write != 0))
        error = await(lock, &lock->__readers, until);
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
    lock->__to_write++;
    while (error == 0 && (lock->__writer != 0 || lock->__reading != 0))
        error = await(lock, &lock->__writers, until);
    lock->__to_write--;
    if (error == 0)
        lock->__writer = pthread_self();
    else if (lock->__to_write == 0 && lock->__writer == 0)
        /* those wait only for who has given up */
        pthread_cond_broadcast(&lock->__readers);
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
    return begin_reading(lock, (struct until){ 0, time });
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
    return begin_writing(lock, (struct until){ 0, time });
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
    if (error == 0 && lock->__reading == 0) {
        if (lock->__to_write != 0)
            pthread_cond_signal(&lock->__writers);
        else
            pthread_cond_broadcast(&lock->__readers);
    }
    pthread_mutex_unlock(&lock->__mutex);
    return error;
}
