/* The locks of streams, which a thread can keep over several calls, and the functions of the
 * C library that write more than a byte, each of which keeps its stream's lock meanwhile: the
 * linker has theirs under the names __real_. Those that format are in printf.c. */

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/lock.h>

/* Streams that can be locked at once, besides the standard ones; more share one lock. */
#define OTHERS 8

/* A lock is a stream's as long as a thread has it or waits for it. */
struct stream_lock {
    FILE *stream;
    unsigned users;
    pthread_mutex_t mutex;
};

/* Recursive and robust: src/mutex.rs. */
#define FREE { NULL, 0, { .__kind = 6 } }

static struct stream_lock locks[1 + OTHERS] = { FREE, FREE, FREE, FREE, FREE, FREE, FREE, FREE,
                                                FREE };
static struct stream_lock standard[3] = { FREE, FREE, FREE };

static struct stream_lock *find(FILE *stream)
{
    struct stream_lock *unused = &locks[0];
    if (stream == stdin || stream == stdout || stream == stderr)
        return &standard[stream == stdin ? 0 : stream == stdout ? 1 : 2];
    for (int i = 1; i <= OTHERS; i++) {
        if (locks[i].users == 0)
            unused = &locks[i];
        else if (locks[i].stream == stream)
            return &locks[i];
    }
    return unused;
}

/* Defined in Rust: src/mutex.rs. */
int giornata_posix_has_mutex(const pthread_mutex_t *mutex);
int giornata_posix_has_stream(FILE *stream);

/* Whether the caller has the lock of a standard stream. */
int giornata_posix_has_stream(FILE *stream)
{
    return giornata_posix_has_mutex(&find(stream)->mutex);
}

static struct stream_lock *use(FILE *stream)
{
    __retarget_lock_acquire_recursive(NULL);
    struct stream_lock *lock = find(stream);
    lock->stream = stream;
    lock->users++;
    __retarget_lock_release_recursive(NULL);
    return lock;
}

static void leave(struct stream_lock *lock)
{
    __retarget_lock_acquire_recursive(NULL);
    lock->users--;
    __retarget_lock_release_recursive(NULL);
}

static int has(int error, struct stream_lock *lock)
{
    /* (a thread that ended with it leaves nothing to be mended) */
    if (error != 0 && pthread_mutex_consistent(&lock->mutex) != 0)
        leave(lock);
    else
        error = 0;
    return error;
}

void flockfile(FILE *stream)
{
    struct stream_lock *lock = use(stream);
    has(pthread_mutex_lock(&lock->mutex), lock);
}

int ftrylockfile(FILE *stream)
{
    struct stream_lock *lock = use(stream);
    return has(pthread_mutex_trylock(&lock->mutex), lock);
}

void funlockfile(FILE *stream)
{
    __retarget_lock_acquire_recursive(NULL);
    struct stream_lock *lock = find(stream);
    __retarget_lock_release_recursive(NULL);
    if (lock->users != 0 && pthread_mutex_unlock(&lock->mutex) == 0)
        leave(lock);
}

int __real_fputs(const char *text, FILE *stream);
int __wrap_fputs(const char *text, FILE *stream);
int __wrap_fputs(const char *text, FILE *stream)
{
    flockfile(stream);
    int result = __real_fputs(text, stream);
    funlockfile(stream);
    return result;
}

int __real_puts(const char *text);
int __wrap_puts(const char *text);
int __wrap_puts(const char *text)
{
    flockfile(stdout);
    int result = __real_puts(text);
    funlockfile(stdout);
    return result;
}

size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *stream)
{
    flockfile(stream);
    size_t written = __real_fwrite(from, size, count, stream);
    funlockfile(stream);
    return written;
}
