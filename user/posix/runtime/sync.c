/* The objects by which threads wait, whose number the builder knows, and how mutexes and
 * conditions begin. */

#include <errno.h>
#include <identifiers.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/* As in Rust: src/waiting.rs. */
struct binding {
    uintptr_t user;
    uint32_t waiting;
    uint32_t woken;
};

#define GIORNATA_BINDINGS_ARE_HERE
#include "layout.h"

struct binding giornata_posix_bindings[GIORNATA_WAITING + 1];
const uint16_t giornata_posix_waiting[2] = { GIORNATA_FIRST_WAITING, GIORNATA_WAITING };

#define INITIALISED 0x61747472u

/* Attributes, which there are of two types. */
#define ATTRIBUTES(type, ...)                                   \
    int pthread_##type##_init(pthread_##type##_t *attributes)   \
    {                                                           \
        *attributes = (pthread_##type##_t){ __VA_ARGS__ };      \
        return 0;                                               \
    }                                                           \
    int pthread_##type##_destroy(pthread_##type##_t *attributes) \
    {                                                           \
        if (attributes->__state != INITIALISED)                 \
            return EINVAL;                                      \
        attributes->__state = 0;                                \
        return 0;                                               \
    }

/* One of their values, and what it may be. */
#define VALUE(type, what, of, field, is_good)                                            \
    int pthread_##type##_get##what(const pthread_##type##_t *attributes, of *value)      \
    {                                                                                    \
        if (attributes->__state != INITIALISED)                                          \
            return EINVAL;                                                               \
        *value = attributes->field;                                                      \
        return 0;                                                                        \
    }                                                                                    \
    int pthread_##type##_set##what(pthread_##type##_t *attributes, of value)             \
    {                                                                                    \
        if (attributes->__state != INITIALISED || !(is_good))                            \
            return EINVAL;                                                               \
        attributes->field = value;                                                       \
        return 0;                                                                        \
    }

#define IS_SHARED (value == PTHREAD_PROCESS_PRIVATE || value == PTHREAD_PROCESS_SHARED)

ATTRIBUTES(mutexattr, .__state = INITIALISED, .__ceiling = 255)
VALUE(mutexattr, prioceiling, int, __ceiling, value >= 0 && value <= 255)
VALUE(mutexattr, protocol, int, __protocol,
      value == PTHREAD_PRIO_NONE || value == PTHREAD_PRIO_INHERIT ||
          value == PTHREAD_PRIO_PROTECT)
VALUE(mutexattr, pshared, int, __shared, IS_SHARED)
VALUE(mutexattr, robust, int, __robust,
      value == PTHREAD_MUTEX_STALLED || value == PTHREAD_MUTEX_ROBUST)
VALUE(mutexattr, type, int, __type,
      value == PTHREAD_MUTEX_NORMAL || value == PTHREAD_MUTEX_RECURSIVE ||
          value == PTHREAD_MUTEX_ERRORCHECK)

ATTRIBUTES(condattr, .__state = INITIALISED, .__clock = CLOCK_REALTIME)
VALUE(condattr, clock, clockid_t, __clock, value == CLOCK_REALTIME || value == CLOCK_MONOTONIC)
VALUE(condattr, pshared, int, __shared, IS_SHARED)

ATTRIBUTES(barrierattr, .__state = INITIALISED)
VALUE(barrierattr, pshared, int, __shared, IS_SHARED)

ATTRIBUTES(rwlockattr, .__state = INITIALISED)
VALUE(rwlockattr, pshared, int, __shared, IS_SHARED)

/* Bits of a mutex's kind, besides its type: src/mutex.rs. */
#define ROBUST 4
#define PROTECT 8

void giornata_posix_mutex_init(pthread_mutex_t *mutex, int bits, int ceiling);

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int bits = PTHREAD_MUTEX_DEFAULT, ceiling = 0;
    if (attributes != NULL) {
        if (attributes->__state != INITIALISED)
            return EINVAL;
        bits = attributes->__type;
        if (attributes->__robust == PTHREAD_MUTEX_ROBUST)
            bits |= ROBUST;
        if (attributes->__protocol == PTHREAD_PRIO_PROTECT)
            bits |= PROTECT;
        ceiling = attributes->__ceiling;
    }
    giornata_posix_mutex_init(mutex, bits, ceiling);
    return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    if (attributes != NULL && attributes->__state != INITIALISED)
        return EINVAL;
    *condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    if (attributes != NULL)
        condition->__clock = (unsigned char)attributes->__clock;
    return 0;
}

/* What `__done` says of one whose routine has run. */
#define DONE 0x656E6F64u

/* The routine was left by pthread_exit() or a cancellation. */
static void give_up(void *once)
{
    pthread_mutex_unlock(&((pthread_once_t *)once)->__mutex);
}

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    if (*(volatile unsigned *)&once->__done == DONE)
        return 0;
    int error = pthread_mutex_lock(&once->__mutex);
    if (error != 0)
        return error;
    pthread_cleanup_push(give_up, once);
    if (once->__done != DONE) {
        routine();
        once->__done = DONE;
    }
    pthread_cleanup_pop(1);
    return 0;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    return pthread_mutex_init(lock, NULL);
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    return pthread_mutex_destroy(lock);
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return pthread_mutex_lock(lock);
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return pthread_mutex_trylock(lock);
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    return pthread_mutex_unlock(lock);
}
