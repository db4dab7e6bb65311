/* What <threads.h> of the C library leaves to the system: a thread is one of <pthread.h>. */
#ifndef GIORNATA_POSIX_MACHINE_THREADS_H
#define GIORNATA_POSIX_MACHINE_THREADS_H

#include <pthread.h>
#include <sys/cdefs.h>

typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_once_t once_flag;
typedef pthread_key_t tss_t;

#define ONCE_FLAG_INIT PTHREAD_ONCE_INIT
#define TSS_DTOR_ITERATIONS PTHREAD_DESTRUCTOR_ITERATIONS
#define NEWLIB_THREAD_LOCAL _Thread_local

#endif
