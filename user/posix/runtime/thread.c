/* The table of threads, whose size the builder knows, and their attributes. */

#include <errno.h>
#include <identifiers.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/* As in Rust: src/thread.rs, and layout.h says where. */
struct place {
    uint64_t id;
    void *(*start)(void *);
    void *argument;
    void *stack;
    size_t stack_size;
    void *values;
    size_t value_count;
    struct __pthread_cleanup *cleanup;
    char name[16];
    int policy;
    struct sched_param parameters;
    const void *mutexes;
    sigset_t mask;
    sigset_t wanted;
    uint8_t due;
    uint8_t has_begun;
    uint8_t run;
    uint8_t is_cancelled;
    uint8_t is_kept;
    uint8_t is_asynchronous;
    uint8_t by_realtime;
    uint8_t is_late;
    uint64_t timer;
    uint8_t is_refused;
    uint8_t is_suspended;
    sem_t wakes;
    uint32_t environment;
    uint8_t is_main;
    uint8_t is_detached;
    uint8_t has_ended;
    void *value;
    const struct place *joiner;
};

#define GIORNATA_PLACES_ARE_HERE
#include "layout.h"

const uint8_t giornata_posix_priorities[] = { GIORNATA_PRIORITIES };
const uint32_t giornata_posix_lasting[2] = { GIORNATA_FIRST_THREAD,
                                             sizeof giornata_posix_priorities };
struct place giornata_posix_places[GIORNATA_PLACES];
const uint32_t giornata_posix_place_count = GIORNATA_PLACES;
const uint32_t giornata_posix_stack = GIORNATA_STACK;
const uint8_t giornata_posix_max_priority = GIORNATA_MAX_PRIORITY;

/* Which place is the calling thread's own; none before it first asks. */
extern _Thread_local struct place *giornata_posix_place;
_Thread_local struct place *giornata_posix_place;

#define INITIALISED 0x61747472u

static int is_good(const pthread_attr_t *attributes)
{
    return attributes->__state == INITIALISED;
}

int pthread_attr_init(pthread_attr_t *attributes)
{
    *attributes = (pthread_attr_t){
        .__state = INITIALISED,
        .__policy = SCHED_FIFO,
        .__stack_size = GIORNATA_STACK,
    };
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes)
{
    if (!is_good(attributes))
        return EINVAL;
    attributes->__state = 0;
    return 0;
}

#define GET(what, type, field)                                                \
    int pthread_attr_get##what(const pthread_attr_t *attributes, type *value) \
    {                                                                         \
        if (!is_good(attributes))                                             \
            return EINVAL;                                                    \
        *value = attributes->field;                                           \
        return 0;                                                             \
    }

GET(detachstate, int, __detached)
GET(guardsize, size_t, __guard_size)
GET(inheritsched, int, __inherits)
GET(schedpolicy, int, __policy)
GET(scope, int, __scope)
GET(stackaddr, void *, __stack)
GET(stacksize, size_t, __stack_size)

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state)
{
    if (!is_good(attributes) ||
        (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED))
        return EINVAL;
    attributes->__detached = state;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t bytes)
{
    if (!is_good(attributes))
        return EINVAL;
    attributes->__guard_size = bytes;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherits)
{
    if (!is_good(attributes) ||
        (inherits != PTHREAD_INHERIT_SCHED && inherits != PTHREAD_EXPLICIT_SCHED))
        return EINVAL;
    attributes->__inherits = inherits;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *parameters)
{
    if (!is_good(attributes))
        return EINVAL;
    *parameters = attributes->__parameters;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameters)
{
    int priority = parameters->sched_priority;
    if (!is_good(attributes) || priority < 0 || priority > 255)
        return EINVAL;
    attributes->__parameters = *parameters;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy)
{
    if (!is_good(attributes))
        return EINVAL;
    switch (policy) {
    case SCHED_OTHER:
    case SCHED_FIFO:
    case SCHED_RR:
    case SCHED_SPORADIC: break;
    /* "An unsupported value" is ENOTSUP by POSIX.1, one that "is not valid" may be EINVAL. The
     * first is what a thread can have but attributes cannot say, and the -1 that functions
     * return instead of a policy. */
    case SCHED_DEADLINE:
    case -1: return ENOTSUP;
    default: return EINVAL;
    }
    attributes->__policy = policy;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attributes, int scope)
{
    if (!is_good(attributes))
        return EINVAL;
    if (scope == PTHREAD_SCOPE_PROCESS)
        return ENOTSUP;
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : EINVAL;
}

int pthread_attr_getstack(const pthread_attr_t *attributes, void **stack, size_t *bytes)
{
    if (!is_good(attributes))
        return EINVAL;
    *stack = attributes->__stack;
    *bytes = attributes->__stack_size;
    return 0;
}

int pthread_attr_setstackaddr(pthread_attr_t *attributes, void *stack)
{
    if (!is_good(attributes) || (uintptr_t)stack % 16 != 0)
        return EINVAL;
    attributes->__stack = stack;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes)
{
    if (!is_good(attributes) || bytes < PTHREAD_STACK_MIN)
        return EINVAL;
    attributes->__stack_size = bytes;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *attributes, void *stack, size_t bytes)
{
    if (!is_good(attributes) || bytes < PTHREAD_STACK_MIN || bytes % 16 != 0 ||
        (uintptr_t)stack % 16 != 0)
        return EINVAL;
    attributes->__stack = stack;
    attributes->__stack_size = bytes;
    return 0;
}

/* Defined in Rust: src/thread.rs. */
int giornata_posix_own_stack(void **bottom, size_t *bytes, size_t *used);

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    if (!pthread_equal(thread, pthread_self()))
        return pthread_kill(thread, 0) == 0 ? ENOTSUP : ESRCH;
    pthread_attr_init(attributes);
    pthread_getschedparam(thread, &attributes->__policy, &attributes->__parameters);
    attributes->__inherits = PTHREAD_EXPLICIT_SCHED;
    return giornata_posix_own_stack(&attributes->__stack, &attributes->__stack_size, NULL);
}

int pthread_getstackdepth_np(size_t *bytes, size_t *used)
{
    void *bottom;
    size_t all, deepest;
    int error = giornata_posix_own_stack(&bottom, &all, &deepest);
    if (error == 0 && bytes != NULL)
        *bytes = all;
    if (error == 0 && used != NULL)
        *used = deepest;
    return error;
}

int pthread_equal(pthread_t one, pthread_t other)
{
    return one == other;
}

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}

static int concurrency;

int pthread_getconcurrency(void)
{
    return concurrency;
}

int pthread_setconcurrency(int level)
{
    if (level < 0)
        return EINVAL;
    concurrency = level;
    return 0;
}
