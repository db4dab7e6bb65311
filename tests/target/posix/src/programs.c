/* Programs made at random, of 2 to 10 threads, and what has to be true of each: mutexes of all
 * types and protocols, conditions, semaphores, read-write locks, timeouts, signals,
 * cancellation, owners that end, priorities that change.
 *
 * A program is its number: what there is and what each thread does follows from that. Beside
 * each lock lies what a model says of it, which only whoever has the lock writes. So the model
 * is right as long as locks exclude, and what disagrees with it is told: who has a mutex, how
 * often, in which state; that a wait returns with its mutex, and not before its time; that
 * nothing is left or lost in the end. All programs end: threads wait for ever only for what
 * comes before in the order of locks, or what the main thread gives again and again. */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Which programs: beside this file. */
extern const unsigned first_program, last_program;

/* Of the library: whether the caller has a mutex. */
int giornata_posix_has_mutex(const pthread_mutex_t *mutex);

#define SECOND 1000000000L

enum { THREADS = 10, MUTEXES = 4, CONDITIONS = 3, SEMAPHORES = 3, LOCKS = 2 };
enum { LOWEST = 21, HIGHEST = 40 };
/* Rounds of the main thread after which a program hangs, and faults that are told. */
enum { ROUNDS = 4000, TOLD = 4 };

/* Who has a mutex, besides numbers of threads. */
enum { NOBODY = -1, DEAD = -2 };
/* Of a robust one whose owner ended. */
enum state { SOUND, INCONSISTENT, LOST };
/* How long somebody waits. */
enum patience { NEVER, NOW, SOON };

struct mutex {
    pthread_mutex_t mutex;
    int type, is_robust;
    volatile int owner, depth;
    volatile enum state state;
};

struct condition {
    pthread_cond_t condition;
    clockid_t clock;
    int mutex;
};

struct thread {
    pthread_t id;
    int number;
    unsigned random;
    /* The mutex of the condition that it waits for, or NOBODY, and how often it had it. */
    volatile int waits, depth;
    volatile int is_reader[LOCKS], is_writer[LOCKS];
    int given[SEMAPHORES], taken[SEMAPHORES];
    atomic_int given_by_handler;
    volatile int has_ended;
};

static struct mutex mutexes[MUTEXES];
static struct condition conditions[CONDITIONS];
static sem_t semaphores[SEMAPHORES];
static pthread_rwlock_t locks[LOCKS];
static volatile int writer[LOCKS];
static struct thread threads[THREADS];
static int mutex_count, condition_count, semaphore_count, lock_count, thread_count;

static unsigned program;
static volatile int wrong;
static __thread struct thread *self;

static void tell_wrong(int line, const char *what, int value)
{
    if (wrong++ < TOLD)
        printf("program %u, thread %d, line %d: %s (%d)\n", program, self ? self->number : -1, line,
               what, value);
}

#define HOLDS(what, value)                          \
    do {                                            \
        if (!(what))                                \
            tell_wrong(__LINE__, #what, value);     \
    } while (0)

static unsigned next(unsigned *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

static unsigned below(unsigned *random, unsigned limit)
{
    return (next(random) >> 8) % limit;
}

/* One of the numbers from `least` to `most`. */
static int any(unsigned *random, int least, int most)
{
    return least + (int)below(random, (unsigned)(most - least + 1));
}

static int in_hundred(unsigned *random, unsigned chance)
{
    return below(random, 100) < chance;
}

static struct timespec later(clockid_t clock, long nanoseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += nanoseconds;
    if (time.tv_nsec >= SECOND) {
        time.tv_nsec -= SECOND;
        time.tv_sec++;
    }
    return time;
}

static int has_come(clockid_t clock, const struct timespec *time)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > time->tv_sec || (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec);
}

static void rest(long nanoseconds)
{
    struct timespec time = { .tv_nsec = nanoseconds };
    int slept = nanosleep(&time, NULL);
    HOLDS(slept == 0 || errno == EINTR, errno);
}

static long short_time(unsigned *random)
{
    /* one in four has passed before anybody waits */
    return in_hundred(random, 25) ? 0 : any(random, 1, 600) * 100L;
}

/* The model. */

static int is_mine(const struct mutex *mutex)
{
    return mutex->owner == self->number;
}

static int has_mutex(void)
{
    for (int i = 0; i < mutex_count; i++)
        if (is_mine(&mutexes[i]))
            return 1;
    return 0;
}

static int has_lock(void)
{
    for (int i = 0; i < lock_count; i++)
        if (self->is_reader[i] || self->is_writer[i])
            return 1;
    return 0;
}

/* Whether the caller has nothing that comes behind a mutex. */
static int is_last(int number)
{
    for (int i = number + 1; i < mutex_count; i++)
        if (is_mine(&mutexes[i]))
            return 0;
    return !has_lock();
}

/* The caller has come to a mutex, with this error; `depth` times. */
static void take(struct mutex *mutex, int error, int depth)
{
    HOLDS(giornata_posix_has_mutex(&mutex->mutex), error);
    if (error == EOWNERDEAD)
        HOLDS(mutex->owner == DEAD && mutex->is_robust, mutex->owner);
    else
        HOLDS(mutex->owner == NOBODY && mutex->state == SOUND, mutex->owner);
    mutex->owner = self->number;
    mutex->depth = depth;
    if (error != EOWNERDEAD)
        return;
    mutex->state = INCONSISTENT;
    if (in_hundred(&self->random, 70)) {
        HOLDS(pthread_mutex_consistent(&mutex->mutex) == 0, 0);
        mutex->state = SOUND;
    }
}

/* It has not, with this error. */
static void miss(struct mutex *mutex, int error)
{
    HOLDS(!giornata_posix_has_mutex(&mutex->mutex), error);
    if (error == ENOTRECOVERABLE)
        HOLDS(mutex->state == LOST, mutex->state);
    else
        /* a circle of owners, which a timeout would open */
        HOLDS(error == EDEADLK && has_mutex(), error);
}

static void unlock(struct mutex *mutex)
{
    HOLDS(is_mine(mutex) && giornata_posix_has_mutex(&mutex->mutex), mutex->owner);
    if (--mutex->depth == 0) {
        if (mutex->state == INCONSISTENT)
            mutex->state = LOST;
        mutex->owner = NOBODY;
    }
    int error = pthread_mutex_unlock(&mutex->mutex);
    HOLDS(error == 0, error);
}

/* What threads do. */

/* The caller locks what it has. */
static void lock_again(struct mutex *mutex, enum patience patience)
{
    if (patience == NEVER && mutex->type == PTHREAD_MUTEX_NORMAL)
        return;
    struct timespec until = later(CLOCK_REALTIME, short_time(&self->random));
    int error = patience == NEVER ? pthread_mutex_lock(&mutex->mutex)
        : patience == NOW ? pthread_mutex_trylock(&mutex->mutex)
        : pthread_mutex_timedlock(&mutex->mutex, &until);
    if (mutex->type == PTHREAD_MUTEX_RECURSIVE) {
        HOLDS(error == 0, error);
        mutex->depth++;
    } else if (patience == NOW) {
        HOLDS(error == EBUSY, error);
    } else if (mutex->type == PTHREAD_MUTEX_ERRORCHECK) {
        HOLDS(error == EDEADLK, error);
    } else {
        HOLDS(error == ETIMEDOUT && has_come(CLOCK_REALTIME, &until), error);
    }
}

static void lock(int number, enum patience patience)
{
    struct mutex *mutex = &mutexes[number];
    if (is_mine(mutex)) {
        lock_again(mutex, patience);
        return;
    }
    if (patience == NEVER && !is_last(number))
        patience = SOON;
    struct timespec until = later(CLOCK_REALTIME, short_time(&self->random));
    int error = patience == NEVER ? pthread_mutex_lock(&mutex->mutex)
        : patience == NOW ? pthread_mutex_trylock(&mutex->mutex)
        : pthread_mutex_timedlock(&mutex->mutex, &until);
    if (error == 0 || error == EOWNERDEAD)
        take(mutex, error, 1);
    else if (error == EBUSY && patience == NOW)
        HOLDS(!giornata_posix_has_mutex(&mutex->mutex), 0);
    else if (error == ETIMEDOUT && patience == SOON)
        HOLDS(!giornata_posix_has_mutex(&mutex->mutex) && has_come(CLOCK_REALTIME, &until), 0);
    else
        miss(mutex, error);
}

static void unlock_any(int number)
{
    struct mutex *mutex = &mutexes[number];
    if (is_mine(mutex)) {
        unlock(mutex);
        return;
    }
    int error = pthread_mutex_unlock(&mutex->mutex);
    HOLDS(error == EPERM, error);
}

static void wait(struct condition *condition, enum patience patience)
{
    struct mutex *mutex = &mutexes[condition->mutex];
    if (!is_mine(mutex) || !is_last(condition->mutex) || mutex->state != SOUND)
        return;
    struct timespec until = later(condition->clock, short_time(&self->random));
    self->depth = mutex->depth;
    self->waits = condition->mutex;
    mutex->owner = NOBODY;
    int error = patience == NEVER
        ? pthread_cond_wait(&condition->condition, &mutex->mutex)
        : pthread_cond_timedwait(&condition->condition, &mutex->mutex, &until);
    self->waits = NOBODY;
    if (error == ETIMEDOUT)
        HOLDS(patience != NEVER && has_come(condition->clock, &until), 0);
    if (error == 0 || error == ETIMEDOUT || error == EOWNERDEAD)
        take(mutex, error, self->depth);
    else
        miss(mutex, error);
}

/* Locks and unlocks, so that whatever interrupts the caller meets it in between. */
static void hurry(int number)
{
    struct mutex *mutex = &mutexes[number];
    if (is_mine(mutex) || !is_last(number))
        return;
    for (int i = any(&self->random, 5, 40); i > 0; i--) {
        int error = pthread_mutex_lock(&mutex->mutex);
        if (error != 0 && error != EOWNERDEAD) {
            miss(mutex, error);
            return;
        }
        take(mutex, error, 1);
        unlock(mutex);
    }
}

static void acquire(int number, enum patience patience)
{
    sem_t *semaphore = &semaphores[number];
    struct timespec until = later(CLOCK_REALTIME, short_time(&self->random));
    int got = patience == NEVER ? sem_wait(semaphore)
        : patience == NOW ? sem_trywait(semaphore)
        : sem_timedwait(semaphore, &until);
    if (got == 0)
        self->taken[number]++;
    else if (errno == ETIMEDOUT)
        HOLDS(patience == SOON && has_come(CLOCK_REALTIME, &until), errno);
    else
        HOLDS(errno == (patience == NOW ? EAGAIN : EINTR), errno);
}

static void release(int number)
{
    HOLDS(sem_post(&semaphores[number]) == 0, errno);
    self->given[number]++;
}

static void leave_lock(int number)
{
    self->is_reader[number] = 0;
    if (self->is_writer[number])
        writer[number] = NOBODY;
    self->is_writer[number] = 0;
    int error = pthread_rwlock_unlock(&locks[number]);
    HOLDS(error == 0, error);
}

static void read_or_write(int number, int writes, enum patience patience)
{
    pthread_rwlock_t *lock = &locks[number];
    if (self->is_reader[number] || self->is_writer[number]) {
        leave_lock(number);
        return;
    }
    if (patience == NEVER && has_lock())
        patience = SOON;
    struct timespec until = later(CLOCK_REALTIME, short_time(&self->random));
    int error;
    if (writes)
        error = patience == NEVER ? pthread_rwlock_wrlock(lock)
            : patience == NOW ? pthread_rwlock_trywrlock(lock)
            : pthread_rwlock_timedwrlock(lock, &until);
    else
        error = patience == NEVER ? pthread_rwlock_rdlock(lock)
            : patience == NOW ? pthread_rwlock_tryrdlock(lock)
            : pthread_rwlock_timedrdlock(lock, &until);
    if (error == ETIMEDOUT)
        HOLDS(patience == SOON && has_come(CLOCK_REALTIME, &until), 0);
    else
        HOLDS(error == 0 || (error == EBUSY && patience == NOW), error);
    if (error != 0)
        return;
    HOLDS(writer[number] == NOBODY, writer[number]);
    for (int i = 0; i < thread_count && writes; i++)
        HOLDS(!threads[i].is_reader[number], i);
    if (writes)
        writer[number] = self->number;
    *(writes ? &self->is_writer[number] : &self->is_reader[number]) = 1;
}

/* Does something to another thread, which may have ended. */
static void meddle(void)
{
    struct thread *other = &threads[below(&self->random, (unsigned)thread_count)];
    if (other->id == 0)
        return;
    unsigned what = below(&self->random, 100);
    int error;
    if (what < 60)
        error = pthread_kill(other->id, what < 30 ? SIGUSR1 : SIGUSR2);
    else if (what < 92)
        error = pthread_setschedprio(other->id, any(&self->random, LOWEST, HIGHEST));
    else
        error = pthread_cancel(other->id);
    HOLDS(error == 0 || (error == ESRCH && other->has_ended), error);
}

static void do_something(void)
{
    unsigned *random = &self->random;
    unsigned what = below(random, 100);
    enum patience patience = (enum patience)below(random, 3);
    int mutex = (int)below(random, (unsigned)mutex_count);
    int semaphore = (int)below(random, (unsigned)semaphore_count);
    struct condition *condition = &conditions[below(random, (unsigned)condition_count)];
    if (what < 20) {
        lock(mutex, patience);
    } else if (what < 32) {
        unlock_any(mutex);
    } else if (what < 52) {
        if (in_hundred(random, 60))
            lock(condition->mutex, NEVER);
        wait(condition, in_hundred(random, 20) ? NEVER : SOON);
    } else if (what < 58) {
        HOLDS(pthread_cond_signal(&condition->condition) == 0, 0);
    } else if (what < 61) {
        HOLDS(pthread_cond_broadcast(&condition->condition) == 0, 0);
    } else if (what < 69) {
        hurry(mutex);
    } else if (what < 74) {
        acquire(semaphore, patience);
    } else if (what < 79) {
        release(semaphore);
    } else if (what < 85) {
        if (lock_count != 0)
            read_or_write((int)below(random, (unsigned)lock_count), in_hundred(random, 40),
                          patience);
    } else if (what < 91) {
        meddle();
    } else if (what < 93) {
        sched_yield();
    } else if (what < 95) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, what == 93 ? SIGUSR1 : SIGUSR2);
        pthread_sigmask(in_hundred(random, 50) ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    } else if (what < 96) {
        pthread_setcancelstate((int)below(random, 2), NULL);
    } else {
        rest(any(random, 0, 300) * 100L);
    }
}

/* The caller ends, wherever it is: it leaves some robust mutexes to who comes next. */
static void end(void *unused)
{
    (void)unused;
    if (self->waits != NOBODY) {
        struct mutex *mutex = &mutexes[self->waits];
        self->waits = NOBODY;
        /* it was cancelled in the wait */
        if (giornata_posix_has_mutex(&mutex->mutex))
            take(mutex, mutex->owner == DEAD ? EOWNERDEAD : 0, self->depth);
        else
            HOLDS(mutex->state == LOST || has_mutex(), mutex->owner);
    }
    for (int i = 0; i < lock_count; i++)
        if (self->is_reader[i] || self->is_writer[i])
            leave_lock(i);
    for (int i = 0; i < mutex_count; i++) {
        struct mutex *mutex = &mutexes[i];
        if (mutex->is_robust && is_mine(mutex) && in_hundred(&self->random, 40))
            mutex->owner = DEAD;
        while (is_mine(mutex))
            unlock(mutex);
    }
    self->has_ended = 1;
}

static void *live(void *thread)
{
    self = thread;
    pthread_cleanup_push(end, NULL);
    for (int i = any(&self->random, 4, 24); i > 0; i--)
        do_something();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cleanup_pop(1);
    return NULL;
}

static void handle(int number)
{
    (void)number;
    /* (the handler of the other signal may come in between) */
    if (self != NULL && sem_post(&semaphores[0]) == 0)
        atomic_fetch_add(&self->given_by_handler, 1);
}

/* What there is. */

static void make_mutex(struct mutex *mutex, unsigned *random)
{
    static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
                                 PTHREAD_MUTEX_RECURSIVE };
    static const int protocols[] = { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT,
                                     PTHREAD_PRIO_PROTECT };
    pthread_mutexattr_t attr;
    mutex->type = types[below(random, 3)];
    mutex->is_robust = in_hundred(random, 30);
    mutex->owner = NOBODY;
    mutex->depth = 0;
    mutex->state = SOUND;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, mutex->type);
    pthread_mutexattr_setprotocol(&attr, protocols[below(random, 3)]);
    pthread_mutexattr_setprioceiling(&attr, HIGHEST);
    pthread_mutexattr_setrobust(&attr, mutex->is_robust ? PTHREAD_MUTEX_ROBUST
                                                        : PTHREAD_MUTEX_STALLED);
    HOLDS(pthread_mutex_init(&mutex->mutex, &attr) == 0, 0);
}

static void make_condition(struct condition *condition, unsigned *random)
{
    pthread_condattr_t attr;
    condition->clock = in_hundred(random, 50) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    condition->mutex = (int)below(random, (unsigned)mutex_count);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, condition->clock);
    HOLDS(pthread_cond_init(&condition->condition, &attr) == 0, 0);
}

static void make_thread(struct thread *thread, int number, unsigned *random)
{
    pthread_attr_t attr;
    struct sched_param param = { .sched_priority = any(random, LOWEST, HIGHEST) };
    memset(thread, 0, sizeof *thread);
    thread->number = number;
    thread->random = next(random) | 1;
    thread->waits = NOBODY;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, in_hundred(random, 20) ? SCHED_RR : SCHED_FIFO);
    pthread_attr_setschedparam(&attr, &param);
    int error = pthread_create(&thread->id, &attr, live, thread);
    HOLDS(error == 0, error);
}

/* Each semaphore counts what was given and not taken. */
static void end_semaphore(int number, int begun_with)
{
    int value = -1, count = begun_with;
    for (int i = 0; i < thread_count; i++)
        count += threads[i].given[number] - threads[i].taken[number] +
            (number == 0 ? threads[i].given_by_handler : 0);
    HOLDS(sem_getvalue(&semaphores[number], &value) == 0 && value == count, value - count);
    HOLDS(sem_destroy(&semaphores[number]) == 0, errno);
}

static void end_mutex(struct mutex *mutex)
{
    int error = pthread_mutex_trylock(&mutex->mutex);
    if (mutex->state == LOST) {
        HOLDS(error == ENOTRECOVERABLE, error);
    } else {
        HOLDS(error == (mutex->owner == DEAD ? EOWNERDEAD : 0), error);
        HOLDS(pthread_mutex_unlock(&mutex->mutex) == 0, 0);
    }
    HOLDS(pthread_mutex_destroy(&mutex->mutex) == 0, 0);
}

static int have_ended(void)
{
    for (int i = 0; i < thread_count; i++)
        if (!threads[i].has_ended)
            return 0;
    return 1;
}

static void run(void)
{
    unsigned random = program * 2654435761u | 1;
    int counts[SEMAPHORES];
    for (int i = 0; i < 4; i++)
        next(&random);
    memset(threads, 0, sizeof threads);
    mutex_count = any(&random, 1, MUTEXES);
    condition_count = any(&random, 1, CONDITIONS);
    semaphore_count = any(&random, 1, SEMAPHORES);
    lock_count = any(&random, 0, LOCKS);
    thread_count = any(&random, 2, THREADS);
    for (int i = 0; i < mutex_count; i++)
        make_mutex(&mutexes[i], &random);
    for (int i = 0; i < condition_count; i++)
        make_condition(&conditions[i], &random);
    for (int i = 0; i < semaphore_count; i++) {
        counts[i] = any(&random, 0, 2);
        HOLDS(sem_init(&semaphores[i], 0, (unsigned)counts[i]) == 0, errno);
    }
    for (int i = 0; i < lock_count; i++) {
        HOLDS(pthread_rwlock_init(&locks[i], NULL) == 0, 0);
        writer[i] = NOBODY;
    }
    for (int i = 0; i < thread_count; i++)
        make_thread(&threads[i], i, &random);
    for (int round = 0; !have_ended(); round++) {
        if (round == ROUNDS) {
            printf("program %u hangs\n", program);
            exit(2);
        }
        rest(20000);
        for (int i = 0; i < condition_count; i++)
            HOLDS(pthread_cond_broadcast(&conditions[i].condition) == 0, 0);
        for (int i = 0; i < semaphore_count; i++) {
            int value = 0;
            sem_getvalue(&semaphores[i], &value);
            if (value == 0)
                counts[i] += sem_post(&semaphores[i]) == 0;
        }
    }
    for (int i = 0; i < thread_count; i++)
        HOLDS(pthread_join(threads[i].id, NULL) == 0, i);
    for (int i = 0; i < mutex_count; i++)
        end_mutex(&mutexes[i]);
    for (int i = 0; i < condition_count; i++)
        HOLDS(pthread_cond_destroy(&conditions[i].condition) == 0, i);
    for (int i = 0; i < semaphore_count; i++)
        end_semaphore(i, counts[i]);
    for (int i = 0; i < lock_count; i++) {
        HOLDS(pthread_rwlock_trywrlock(&locks[i]) == 0, i);
        HOLDS(pthread_rwlock_unlock(&locks[i]) == 0, i);
        HOLDS(pthread_rwlock_destroy(&locks[i]) == 0, i);
    }
}

int main(void)
{
    struct sigaction action = { .sa_handler = handle };
    HOLDS(sigaction(SIGUSR1, &action, NULL) == 0, 0);
    action.sa_flags = SA_RESTART;
    HOLDS(sigaction(SIGUSR2, &action, NULL) == 0, 0);
    for (program = first_program; program <= last_program; program++) {
        run();
        if (wrong != 0) {
            printf("program %u is the first that does not hold: %d times\n", program, wrong);
            return 1;
        }
    }
    printf("programs %u to %u hold\n", first_program, last_program);
    return 0;
}
