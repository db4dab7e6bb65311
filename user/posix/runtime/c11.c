/* <threads.h> of C11 over <pthread.h>, and timespec_get(). */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static int result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

int timespec_get(struct timespec *time, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

void call_once(once_flag *flag, void (*function)(void))
{
    pthread_once(flag, function);
}

int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    if ((type & ~(mtx_plain | mtx_timed | mtx_recursive)) != 0)
        return thrd_error;
    pthread_mutexattr_init(&attributes);
    if (type & mtx_recursive)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    return result(pthread_mutex_init(mutex, &attributes));
}

void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex)
{
    return result(pthread_mutex_lock(mutex));
}

int mtx_timedlock(mtx_t *__restrict mutex, const struct timespec *__restrict time)
{
    return result(pthread_mutex_timedlock(mutex, time));
}

int mtx_trylock(mtx_t *mutex)
{
    return result(pthread_mutex_trylock(mutex));
}

int mtx_unlock(mtx_t *mutex)
{
    return result(pthread_mutex_unlock(mutex));
}

int cnd_init(cnd_t *condition)
{
    return result(pthread_cond_init(condition, NULL));
}

void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy(condition);
}

int cnd_signal(cnd_t *condition)
{
    return result(pthread_cond_signal(condition));
}

int cnd_broadcast(cnd_t *condition)
{
    return result(pthread_cond_broadcast(condition));
}

int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return result(pthread_cond_wait(condition, mutex));
}

int cnd_timedwait(cnd_t *__restrict condition, mtx_t *__restrict mutex,
                  const struct timespec *__restrict time)
{
    return result(pthread_cond_timedwait(condition, mutex, time));
}

/* What a thread is to do, in the heap until it has begun: a function that returns an int. */
struct start {
    thrd_start_t function;
    void *argument;
};

static void *begin(void *memory)
{
    struct start start = *(struct start *)memory;
    free(memory);
    return (void *)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return thrd_nomem;
    *start = (struct start){ function, argument };
    int error = pthread_create(thread, NULL, begin, start);
    if (error != 0)
        free(start);
    return error == EAGAIN ? thrd_nomem : result(error);
}

thrd_t thrd_current(void)
{
    return pthread_self();
}

int thrd_detach(thrd_t thread)
{
    return result(pthread_detach(thread));
}

int thrd_equal(thrd_t one, thrd_t other)
{
    return pthread_equal(one, other);
}

_Noreturn void thrd_exit(int value)
{
    pthread_exit((void *)(intptr_t)value);
}

int thrd_join(thrd_t thread, int *value)
{
    void *ended;
    int error = pthread_join(thread, &ended);
    if (error == 0 && value != NULL)
        *value = (int)(intptr_t)ended;
    return result(error);
}

/* 0; -1: a signal ended it, and `left` says how much is left; -2: an error. */
int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    if (nanosleep(time, left) == 0)
        return 0;
    return errno == EINTR ? -1 : -2;
}

void thrd_yield(void)
{
    sched_yield();
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return result(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
    return result(pthread_setspecific(key, value));
}
