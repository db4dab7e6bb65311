/* What <pthread.h> has of mutexes, conditions and once, and of what POSIX builds on them:
 * barriers, read-write locks and spin locks. All functions return 0 or the number of an
 * error, and leave `errno` alone. Attributes that say that processes share something are
 * kept: each process has its own memory. */
#ifndef GIORNATA_POSIX_SYS_PTHREAD_SYNC_H
#define GIORNATA_POSIX_SYS_PTHREAD_SYNC_H

#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mutexes: see src/mutex.rs. All zero is one of the default type, without a ceiling. */
typedef struct {
    unsigned __word;
    unsigned short __bound;
    unsigned char __kind, __state;
    unsigned __more;
    unsigned char __ceiling, __outer;
    void *__before;
} pthread_mutex_t;

typedef struct {
    unsigned __state;
    int __type, __protocol, __robust, __ceiling, __shared;
} pthread_mutexattr_t;

#define PTHREAD_MUTEX_INITIALIZER { 0 }

/* The default type checks errors, which costs nothing. */
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_ERRORCHECK 0
#define PTHREAD_MUTEX_NORMAL 1
#define PTHREAD_MUTEX_RECURSIVE 2
/* The kernel always runs the owner in the place of its waiters: "none" inherits, too. */
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1

/* EINVAL: the attributes are not initialised. */
int pthread_mutex_init(pthread_mutex_t *__restrict mutex,
                       const pthread_mutexattr_t *__restrict attributes);
/* EBUSY: a thread has it. EINVAL: it is destroyed. */
int pthread_mutex_destroy(pthread_mutex_t *mutex);
/* No system call while nobody has it. EDEADLK: the caller has it (but of type NORMAL or
 * RECURSIVE), or its owner ended and it is not robust. EINVAL: the caller's priority is above
 * the ceiling, or it is destroyed. EOWNERDEAD: the caller has it, the owner before ended.
 * ENOTRECOVERABLE, EAGAIN. */
int pthread_mutex_lock(pthread_mutex_t *mutex);
/* EBUSY: a thread has it. */
int pthread_mutex_trylock(pthread_mutex_t *mutex);
/* ETIMEDOUT: CLOCK_REALTIME shows `time`. */
int pthread_mutex_timedlock(pthread_mutex_t *__restrict mutex,
                            const struct timespec *__restrict time);
/* As pthread_mutex_timedlock(), by CLOCK_REALTIME or CLOCK_MONOTONIC. EINVAL: another clock. */
int pthread_mutex_clocklock(pthread_mutex_t *__restrict mutex, clockid_t clock,
                            const struct timespec *__restrict time);
/* EPERM: the caller does not have it. */
int pthread_mutex_unlock(pthread_mutex_t *mutex);
/* EINVAL: it is consistent, or not robust. EPERM: the caller does not have it. */
int pthread_mutex_consistent(pthread_mutex_t *mutex);
/* EINVAL: it has no ceiling, or `ceiling` is no priority. */
int pthread_mutex_getprioceiling(const pthread_mutex_t *__restrict mutex,
                                 int *__restrict ceiling);
int pthread_mutex_setprioceiling(pthread_mutex_t *__restrict mutex, int ceiling,
                                 int *__restrict before);

/* EINVAL: the value is none of those that there are, or the attributes are not initialised. */
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *__restrict attributes,
                                     int *__restrict ceiling);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attributes, int ceiling);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *__restrict attributes,
                                  int *__restrict protocol);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *__restrict attributes,
                                 int *__restrict shared);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *__restrict attributes,
                                int *__restrict robust);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *__restrict attributes,
                              int *__restrict type);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);

/* Conditions: see src/condition.rs. */
typedef struct {
    unsigned __word;
    unsigned short __bound;
    unsigned char __clock, __state;
} pthread_cond_t;

typedef struct {
    unsigned __state;
    clockid_t __clock;
    int __shared;
} pthread_condattr_t;

#define PTHREAD_COND_INITIALIZER { 0xFFFF7FFF, 0, 0, 4 }

/* EINVAL: the attributes are not initialised. */
int pthread_cond_init(pthread_cond_t *__restrict condition,
                      const pthread_condattr_t *__restrict attributes);
/* EBUSY: a thread waits. EINVAL: it is destroyed. */
int pthread_cond_destroy(pthread_cond_t *condition);
/* EPERM: the caller does not have the mutex. Others as of pthread_mutex_lock(). */
int pthread_cond_wait(pthread_cond_t *__restrict condition, pthread_mutex_t *__restrict mutex);
/* ETIMEDOUT: the condition's clock shows `time`; the caller has the mutex. */
int pthread_cond_timedwait(pthread_cond_t *__restrict condition,
                           pthread_mutex_t *__restrict mutex,
                           const struct timespec *__restrict time);
/* As pthread_cond_timedwait(), by CLOCK_REALTIME or CLOCK_MONOTONIC. EINVAL: another clock. */
int pthread_cond_clockwait(pthread_cond_t *__restrict condition,
                           pthread_mutex_t *__restrict mutex, clockid_t clock,
                           const struct timespec *__restrict time);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);

/* EINVAL: no clock that one can wait for, or the attributes are not initialised. */
int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_condattr_getclock(const pthread_condattr_t *__restrict attributes,
                              clockid_t *__restrict clock);
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int pthread_condattr_getpshared(const pthread_condattr_t *__restrict attributes,
                                int *__restrict shared);
int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared);

typedef struct {
    pthread_mutex_t __mutex;
    unsigned __done;
} pthread_once_t;

#define PTHREAD_ONCE_INIT { PTHREAD_MUTEX_INITIALIZER, 0 }

/* Who comes while another thread runs `routine` waits, and lends it its priority. EDEADLK:
 * `routine` itself comes. */
int pthread_once(pthread_once_t *once, void (*routine)(void));

typedef struct {
    pthread_mutex_t __mutex;
    pthread_cond_t __condition;
    unsigned __count, __waiting, __inside, __round;
} pthread_barrier_t;

typedef struct {
    unsigned __state;
    int __shared;
} pthread_barrierattr_t;

#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

/* EINVAL: `count` is 0, or the attributes are not initialised. */
int pthread_barrier_init(pthread_barrier_t *__restrict barrier,
                         const pthread_barrierattr_t *__restrict attributes, unsigned count);
/* EBUSY: a thread waits. EINVAL: it is not initialised. */
int pthread_barrier_destroy(pthread_barrier_t *barrier);
/* Blocks until `count` threads wait; returns PTHREAD_BARRIER_SERIAL_THREAD to one of them. */
int pthread_barrier_wait(pthread_barrier_t *barrier);
int pthread_barrierattr_init(pthread_barrierattr_t *attributes);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *__restrict attributes,
                                   int *__restrict shared);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared);

typedef struct {
    pthread_mutex_t __mutex;
    pthread_cond_t __readers, __writers;
    pthread_t __writer;
    struct __rwlock_waiter *__waiters;
    unsigned __reading, __state;
} pthread_rwlock_t;

typedef struct {
    unsigned __state;
    int __shared;
} pthread_rwlockattr_t;

#define PTHREAD_RWLOCK_INITIALIZER                                             \
    {                                                                          \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,                   \
            PTHREAD_COND_INITIALIZER, 0, 0, 0, 0                               \
    }

/* The most urgent of those that wait goes first, of equals who wants to write; whoever wants to
 * read waits for those that wait to write and are as urgent. EINVAL: it is destroyed.
 * EDEADLK: the caller has it to write. EBUSY: another has it. ETIMEDOUT: CLOCK_REALTIME shows
 * `time`. EAGAIN: too many read. */
int pthread_rwlock_init(pthread_rwlock_t *__restrict lock,
                        const pthread_rwlockattr_t *__restrict attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *__restrict lock,
                               const struct timespec *__restrict time);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *__restrict lock,
                               const struct timespec *__restrict time);
/* By CLOCK_REALTIME or CLOCK_MONOTONIC. EINVAL: another clock. */
int pthread_rwlock_clockrdlock(pthread_rwlock_t *__restrict lock, clockid_t clock,
                               const struct timespec *__restrict time);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *__restrict lock, clockid_t clock,
                               const struct timespec *__restrict time);
/* EPERM: nobody has it, or another to write. */
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *__restrict attributes,
                                  int *__restrict shared);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attributes, int shared);

/* One hart runs the process, where to spin would be for ever: whoever waits lends the owner
 * its priority. */
typedef pthread_mutex_t pthread_spinlock_t;

int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);

#ifdef __cplusplus
}
#endif

#endif
