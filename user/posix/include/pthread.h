/* Threads. One starts in one of the process's `spare-threads` places. All functions but
 * pthread_self(), pthread_equal(), pthread_getspecific() and pthread_getconcurrency() return
 * 0 or the number of an error, and leave `errno` alone. */
#ifndef GIORNATA_POSIX_PTHREAD_H
#define GIORNATA_POSIX_PTHREAD_H

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Slot and serial number of a thread: never 0, and none comes twice. */
typedef uint64_t pthread_t;
typedef unsigned pthread_key_t;

/* What a thread is to be like: set and read by functions only. */
typedef struct {
    unsigned __state;
    int __detached;
    int __inherits;
    int __policy;
    int __scope;
    struct sched_param __parameters;
    void *__stack;
    size_t __stack_size;
    size_t __guard_size;
} pthread_attr_t;

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1

#ifndef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN 1024
#endif
#ifndef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#endif
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif

/* EAGAIN: no place is free, or its stack is smaller than asked for. EINVAL: the attributes
 * are not initialised. EPERM: the priority is above `max-priority`. */
int pthread_create(pthread_t *__restrict thread, const pthread_attr_t *__restrict attributes,
                   void *(*start)(void *), void *__restrict argument);
__attribute__((__noreturn__)) void pthread_exit(void *value);
/* ESRCH: there is no such thread. EINVAL: it cannot be joined. EDEADLK: it is the caller. */
int pthread_join(pthread_t thread, void **value);
/* ESRCH, EINVAL: as pthread_join(). */
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);
/* There is no fork(): the functions are not kept. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/* EINVAL: the value is none of those that there are, or the attributes are not initialised.
 * ENOTSUP: a value of POSIX that there is not here. */
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_getguardsize(const pthread_attr_t *__restrict attributes,
                              size_t *__restrict bytes);
int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t bytes);
int pthread_attr_getinheritsched(const pthread_attr_t *__restrict attributes,
                                 int *__restrict inherits);
int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherits);
int pthread_attr_getschedparam(const pthread_attr_t *__restrict attributes,
                               struct sched_param *__restrict parameters);
int pthread_attr_setschedparam(pthread_attr_t *__restrict attributes,
                               const struct sched_param *__restrict parameters);
int pthread_attr_getschedpolicy(const pthread_attr_t *__restrict attributes,
                                int *__restrict policy);
int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy);
int pthread_attr_getscope(const pthread_attr_t *__restrict attributes, int *__restrict scope);
int pthread_attr_setscope(pthread_attr_t *attributes, int scope);
/* A stack of the caller's: its lowest address, and its bytes, both multiples of 16. */
int pthread_attr_getstack(const pthread_attr_t *__restrict attributes,
                          void **__restrict stack, size_t *__restrict bytes);
int pthread_attr_setstack(pthread_attr_t *attributes, void *stack, size_t bytes);
int pthread_attr_getstackaddr(const pthread_attr_t *__restrict attributes,
                              void **__restrict stack);
int pthread_attr_setstackaddr(pthread_attr_t *attributes, void *stack);
int pthread_attr_getstacksize(const pthread_attr_t *__restrict attributes,
                              size_t *__restrict bytes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);

/* ESRCH: there is no such thread. EINVAL: no policy, or parameters that make no sense. EPERM: a
 * priority is above `max-priority`. ENOSYS: SCHED_RR and SCHED_SPORADIC need configuration
 * `pse51`. A sporadic server begins with all of its budget each time. */
int pthread_getschedparam(pthread_t thread, int *__restrict policy,
                          struct sched_param *__restrict parameters);
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters);
int pthread_setschedprio(pthread_t thread, int priority);
int pthread_getconcurrency(void);
/* EINVAL: `level` is negative. */
int pthread_setconcurrency(int level);

/* EAGAIN: there are PTHREAD_KEYS_MAX keys. ENOMEM: the heap has no room. EINVAL: there is no
 * such key. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)

/* ESRCH: there is no such thread. */
int pthread_cancel(pthread_t thread);
/* EINVAL: it is none of the two. */
int pthread_setcancelstate(int state, int *before);
int pthread_setcanceltype(int type, int *before);
void pthread_testcancel(void);

/* ERANGE: a name has 15 bytes at most, and a buffer has room for what it holds. ESRCH: there
 * is no such thread. */
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_getname_np(pthread_t thread, char *name, size_t size);

#if __MISC_VISIBLE || __GNU_VISIBLE
/* As pthread_join(); EBUSY: it has not ended. ETIMEDOUT: the clock, CLOCK_REALTIME if there is
 * none among the arguments, shows `time`. EINVAL: no clock that one can wait for. */
int pthread_tryjoin_np(pthread_t thread, void **value);
int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *time);
int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
                         const struct timespec *time);
/* The attributes with which the caller runs, its stack among them. Of another thread that is
 * not known: ENOTSUP. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
/* Bytes of the caller's stack, and how many of them have been used at most: down to the lowest
 * word that is not 0. Both may be NULL. Looks at all that was not used. */
int pthread_getstackdepth_np(size_t *bytes, size_t *used);
/* ESRCH: there is no such thread. EINVAL: the set is too small, or hart 0 is not in it. */
int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set);
int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set);
int pthread_yield(void);
#endif

/* What clock_gettime() then tells, the kernel has to know: configuration `pse51`. */
int pthread_getcpuclockid(pthread_t thread, clockid_t *clock);

/* What is to be cleaned up when the thread ends within a block. */
struct __pthread_cleanup {
    void (*__routine)(void *);
    void *__argument;
    struct __pthread_cleanup *__outer;
};
void __pthread_cleanup_push(struct __pthread_cleanup *cleanup);
void __pthread_cleanup_pop(struct __pthread_cleanup *cleanup, int execute);

#define pthread_cleanup_push(routine, argument)                                      \
    do {                                                                             \
        struct __pthread_cleanup __cleanup = { (routine), (argument), NULL };        \
        __pthread_cleanup_push(&__cleanup)
#define pthread_cleanup_pop(execute)                 \
        __pthread_cleanup_pop(&__cleanup, (execute)); \
    } while (0)

#ifdef __cplusplus
}
#endif

#include <sys/_pthread_sync.h>

#endif
