/* Barriers: a round ends when as many threads wait as the barrier counts. */

#include <errno.h>
#include <pthread.h>

/* Defined in Rust: src/condition.rs. A barrier is no point of cancellation. */
int giornata_posix_await(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                         const struct timespec *time);

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                         unsigned count)
{
    int shared;
    if (count == 0 ||
        (attributes != NULL && pthread_barrierattr_getpshared(attributes, &shared) != 0))
        return EINVAL;
    *barrier = (pthread_barrier_t){ .__condition = PTHREAD_COND_INITIALIZER, .__count = count };
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    if (barrier->__count == 0)
        return EINVAL;
    int error = pthread_mutex_lock(&barrier->__mutex);
    if (error != 0)
        return error;
    int waits = barrier->__waiting != 0;
    if (!waits) {
        barrier->__count = 0;
        /* who was woken comes out first */
        while (barrier->__inside != 0)
            giornata_posix_await(&barrier->__condition, &barrier->__mutex, CLOCK_REALTIME, NULL);
    }
    pthread_mutex_unlock(&barrier->__mutex);
    if (waits)
        return EBUSY;
    return pthread_mutex_destroy(&barrier->__mutex);
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    if (barrier->__count == 0)
        return EINVAL;
    int error = pthread_mutex_lock(&barrier->__mutex);
    if (error != 0)
        return error;
    barrier->__inside++;
    int last = ++barrier->__waiting == barrier->__count;
    if (last) {
        barrier->__waiting = 0;
        barrier->__round++;
        pthread_cond_broadcast(&barrier->__condition);
    } else {
        unsigned round = barrier->__round;
        while (error == 0 && round == barrier->__round)
            error = giornata_posix_await(&barrier->__condition, &barrier->__mutex, CLOCK_REALTIME,
                                         NULL);
        /* (with another kernel nobody can wait) */
        if (round == barrier->__round)
            barrier->__waiting--;
        else
            error = 0;
    }
    if (--barrier->__inside == 0)
        pthread_cond_broadcast(&barrier->__condition);
    pthread_mutex_unlock(&barrier->__mutex);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : error;
}
