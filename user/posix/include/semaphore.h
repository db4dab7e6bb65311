/* Semaphores. No system call unless a thread has to wait, or is waiting. All functions but
 * sem_open() return 0, or -1 with the error in `errno`. */
#ifndef GIORNATA_POSIX_SEMAPHORE_H
#define GIORNATA_POSIX_SEMAPHORE_H

#include <fcntl.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* See src/semaphore.rs. */
typedef struct {
    unsigned __word;
    unsigned short __bound, __state;
} sem_t;

#define SEM_FAILED ((sem_t *)0)
#ifndef SEM_VALUE_MAX
#define SEM_VALUE_MAX 32767
#endif
#ifndef SEM_NSEMS_MAX
#define SEM_NSEMS_MAX 256
#endif

/* EINVAL: the count is above SEM_VALUE_MAX. */
int sem_init(sem_t *semaphore, int shared, unsigned count);
/* EINVAL, here and below: it is not initialised. EBUSY: a thread waits. */
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
/* EAGAIN: the count is 0. */
int sem_trywait(sem_t *semaphore);
/* ETIMEDOUT: CLOCK_REALTIME shows `time`. */
int sem_timedwait(sem_t *__restrict semaphore, const struct timespec *__restrict time);
/* As sem_timedwait(), by CLOCK_REALTIME or CLOCK_MONOTONIC. EINVAL: another clock. */
int sem_clockwait(sem_t *__restrict semaphore, clockid_t clock,
                  const struct timespec *__restrict time);
/* EOVERFLOW: the count is SEM_VALUE_MAX. */
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *__restrict semaphore, int *__restrict count);

/* Names are of the process: 8 of 31 bytes at most. With O_CREAT: mode_t mode, unsigned count.
 * SEM_FAILED: ENOENT, EEXIST, EINVAL, ENAMETOOLONG, ENFILE. */
sem_t *sem_open(const char *name, int how, ...);
/* EINVAL: it is none that is open. */
int sem_close(sem_t *semaphore);
/* ENOENT, ENAMETOOLONG. */
int sem_unlink(const char *name);

#ifdef __cplusplus
}
#endif

#endif
