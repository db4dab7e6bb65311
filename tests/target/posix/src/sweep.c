/* Every function that is not picolibc's, with bad arguments: one is bad at a
 * time, the others are good. What comes of it is told: the result with the error, a wait, or a
 * fault, after which the process begins anew with the next case. */

#include <errno.h>
#include <fcntl.h>
#include <giornata.h>
#include <identifiers.h>
#include <limits.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* What an argument is to be, a letter each:
 *
 * m mutex, c condition, s semaphore, b barrier, l read-write lock, p spin lock, o once,
 * a attributes of threads, M of mutexes, C of conditions, B of barriers, L of read-write locks,
 * Q of message queues, S set of signals, A action, t time, R parameters of scheduling, e event,
 * I setting of a timer, w room for a result, z text, F stream, h function,
 * T thread, d timer, q message queue, i number, n signal, u clock */
struct function {
    const char *name;
    void (*address)(void);
    const char *arguments;
};

#define FUNCTION(name, arguments) { #name, (void (*)(void))name, arguments }

static const struct function functions[] = {
#include "sweep.inc"
};

struct progress {
    uint32_t function, argument, value, was_begun;
    /* What the bad value is. */
    const char *label;
};

static struct progress *progress;

/* Good arguments, made anew for each case. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    sem_t semaphore;
    pthread_barrier_t barrier;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    pthread_once_t once;
    pthread_attr_t attr;
    pthread_mutexattr_t mutexattr;
    pthread_condattr_t condattr;
    pthread_barrierattr_t barrierattr;
    pthread_rwlockattr_t rwlockattr;
    struct mq_attr queueattr;
    sigset_t set;
    struct sigaction action;
    struct timespec time;
    struct sched_param parameters;
    struct sigevent event;
    struct itimerspec setting;
    uint64_t room[32];
    timer_t timer;
    mqd_t queue;
    pthread_t thread;
} good;

/* Code that is always the same; nobody executes it. */
extern const uint32_t code[64];
__asm__(".pushsection .text.code, \"ax\", @progbits\n"
        ".balign 16\n"
        "code: .fill 64, 4, -1\n"
        ".popsection\n");

static void *begin(void *argument)
{
    return argument;
}

static void make_good(void)
{
    memset(&good, 0, sizeof good);
    pthread_mutex_init(&good.mutex, NULL);
    pthread_cond_init(&good.condition, NULL);
    sem_init(&good.semaphore, 0, 1);
    pthread_barrier_init(&good.barrier, NULL, 1);
    pthread_rwlock_init(&good.rwlock, NULL);
    pthread_spin_init(&good.spin, PTHREAD_PROCESS_PRIVATE);
    good.once = (pthread_once_t)PTHREAD_ONCE_INIT;
    pthread_attr_init(&good.attr);
    pthread_mutexattr_init(&good.mutexattr);
    pthread_condattr_init(&good.condattr);
    pthread_barrierattr_init(&good.barrierattr);
    pthread_rwlockattr_init(&good.rwlockattr);
    good.queueattr.mq_maxmsg = 1;
    good.queueattr.mq_msgsize = sizeof good.room;
    good.queue = mq_open("/good", O_RDWR | O_CREAT, 0600, &good.queueattr);
    sigemptyset(&good.set);
    good.action.sa_handler = SIG_IGN;
    good.time.tv_nsec = 1000;
    good.parameters.sched_priority = 20;
    good.event.sigev_notify = SIGEV_NONE;
    timer_create(CLOCK_MONOTONIC, &good.event, &good.timer);
    good.thread = pthread_self();
}

static void end_good(void)
{
    timer_delete(good.timer);
    mq_close(good.queue);
    mq_unlink("/good");
}

static const void *object(char kind)
{
    switch (kind) {
    case 'm': return &good.mutex;
    case 'c': return &good.condition;
    case 's': return &good.semaphore;
    case 'b': return &good.barrier;
    case 'l': return &good.rwlock;
    case 'p': return &good.spin;
    case 'o': return &good.once;
    case 'a': return &good.attr;
    case 'M': return &good.mutexattr;
    case 'C': return &good.condattr;
    case 'B': return &good.barrierattr;
    case 'L': return &good.rwlockattr;
    case 'Q': return &good.queueattr;
    case 'S': return &good.set;
    case 'A': return &good.action;
    case 't': return &good.time;
    case 'R': return &good.parameters;
    case 'e': return &good.event;
    case 'I': return &good.setting;
    case 'w': return good.room;
    case 'z': return "/name";
    case 'F': return stdout;
    case 'h': return (const void *)(uintptr_t)begin;
    default: return NULL;
    }
}

static void destroy(char kind)
{
    switch (kind) {
    case 'm': pthread_mutex_destroy(&good.mutex); break;
    case 'c': pthread_cond_destroy(&good.condition); break;
    case 's': sem_destroy(&good.semaphore); break;
    case 'b': pthread_barrier_destroy(&good.barrier); break;
    case 'l': pthread_rwlock_destroy(&good.rwlock); break;
    case 'p': pthread_spin_destroy(&good.spin); break;
    case 'a': pthread_attr_destroy(&good.attr); break;
    case 'M': pthread_mutexattr_destroy(&good.mutexattr); break;
    case 'C': pthread_condattr_destroy(&good.condattr); break;
    case 'B': pthread_barrierattr_destroy(&good.barrierattr); break;
    case 'L': pthread_rwlockattr_destroy(&good.rwlockattr); break;
    }
}

/* Locked by the caller; a semaphore at 0. */
static void take(char kind)
{
    switch (kind) {
    case 'm': pthread_mutex_lock(&good.mutex); break;
    case 's': sem_trywait(&good.semaphore); break;
    case 'l': pthread_rwlock_wrlock(&good.rwlock); break;
    case 'p': pthread_spin_lock(&good.spin); break;
    }
}

static uint8_t junk[256] __attribute__((aligned(16)));

enum way {
    A_NULL,
    MISALIGNED,
    UNMAPPED,
    CODE,
    UNINITIALISED,
    DESTROYED,
    OTHER_TYPE,
    TAKEN,
    OUT_OF_RANGE,
    NEGATIVE,
    ZERO,
    NONE,
    ENDED,
    DETACHED,
    DELETED,
    CLOSED,
    MINUS_ONE,
    LOWEST,
    HIGHEST,
};

#define POINTERS "mcsblpoaMCBLQSAtReIwzFh"

/* The ways in which a value can be bad, and of what kinds. */
static const struct {
    const char *label, *kinds;
} ways[] = {
    [A_NULL] = { "NULL", POINTERS },
    [MISALIGNED] = { "misaligned", POINTERS },
    [UNMAPPED] = { "unmapped", POINTERS },
    [CODE] = { "in the code", POINTERS },
    [UNINITIALISED] = { "uninitialised", POINTERS },
    [DESTROYED] = { "destroyed", "mcsblpaMCBL" },
    [OTHER_TYPE] = { "of another type", "mcsblpoaMCBL" },
    [TAKEN] = { "taken", "mslp" },
    [OUT_OF_RANGE] = { "out of range", "tIRQe" },
    [NEGATIVE] = { "negative", "tIRQ" },
    [ZERO] = { "0", "Td" },
    [NONE] = { "none", "Tdq" },
    [ENDED] = { "ended", "T" },
    [DETACHED] = { "detached", "T" },
    [DELETED] = { "deleted", "d" },
    [CLOSED] = { "closed", "q" },
    [MINUS_ONE] = { "-1", "inuq" },
    [LOWEST] = { "the lowest", "inu" },
    [HIGHEST] = { "the highest", "inu" },
};

/* A thread that has ended; or that runs, and that nobody can join. */
static pthread_t other_thread(int is_detached)
{
    pthread_t thread = 0;
    pthread_attr_t attr;
    struct sched_param parameters = { .sched_priority = is_detached ? 10 : 30 };
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &parameters);
    pthread_create(&thread, &attr, begin, NULL);
    if (is_detached)
        pthread_detach(thread);
    else
        pthread_join(thread, NULL);
    return thread;
}

/* The good value of a kind, which has been spoiled, or another value. */
static uint64_t spoiled(char kind, enum way way)
{
    uintptr_t place = (uintptr_t)object(kind);
    switch (way) {
    case MISALIGNED: return place + 1;
    case UNMAPPED: return 16;
    case CODE: return (uintptr_t)code;
    case UNINITIALISED:
        memset(junk, 0xA5, sizeof junk);
        return (uintptr_t)junk;
    case DESTROYED: destroy(kind); return place;
    case OTHER_TYPE: return (uintptr_t)object(kind == 'c' ? 'm' : 'c');
    case TAKEN: take(kind); return place;
    case OUT_OF_RANGE:
    case NEGATIVE: {
        int value = way == NEGATIVE ? -1 : 1000000000;
        good.time.tv_nsec = good.setting.it_value.tv_nsec = value;
        good.parameters.sched_priority = good.event.sigev_notify = value;
        good.queueattr.mq_maxmsg = value;
        return place;
    }
    case NONE: return kind == 'T' ? UINT64_MAX : 77;
    case ENDED: return other_thread(0);
    case DETACHED: return other_thread(1);
    case DELETED: timer_delete(good.timer); return good.timer;
    case CLOSED: mq_close(good.queue); return (uint64_t)good.queue;
    case MINUS_ONE: return (uint64_t)(int64_t)-1;
    case LOWEST: return (uint64_t)(int64_t)INT_MIN;
    case HIGHEST: return INT_MAX;
    default: return 0;
    }
}

/* The bad values of a kind by their numbers: its way; -1 if there are no more. */
static int bad(char kind, unsigned number)
{
    for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++)
        if (strchr(ways[way].kinds, kind) != NULL && number-- == 0)
            return (int)way;
    return -1;
}

static uint64_t good_value(char kind)
{
    switch (kind) {
    case 'T': return good.thread;
    case 'd': return good.timer;
    case 'q': return (uint64_t)good.queue;
    case 'n': return SIGCHLD;
    case 'u': return CLOCK_MONOTONIC;
    case 'i': return 0;
    default: return (uintptr_t)object(kind);
    }
}

/* Calls with words in registers; a thread's id is two where words are short. */
static uintptr_t call(const struct function *function, unsigned argument, uint64_t value)
{
    uintptr_t words[8] = { 0 };
    unsigned count = 0;
    for (unsigned i = 0; function->arguments[i] != 0; i++) {
        uint64_t word = i == argument ? value : good_value(function->arguments[i]);
        words[count++] = (uintptr_t)word;
        if (function->arguments[i] == 'T' && sizeof(uintptr_t) < sizeof(pthread_t))
            words[count++] = (uintptr_t)(word >> 32);
    }
    uintptr_t (*address)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t) =
        (uintptr_t (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                       uintptr_t))function->address;
    return address(words[0], words[1], words[2], words[3], words[4], words[5]);
}

static sem_t began;
static volatile int is_over;

/* Whoever waits for too long begins anew, too. */
static void *watch(void *argument)
{
    for (;;) {
        sem_wait(&began);
        struct timespec time = { .tv_nsec = 3000000 };
        uint32_t of = progress->value, function = progress->function;
        nanosleep(&time, NULL);
        if (!is_over && progress->value == of && progress->function == function) {
            progress->was_begun = 2;
            __builtin_trap();
        }
    }
    return argument;
}

static void tell(const char *what)
{
    const struct function *function = &functions[progress->function];
    printf("%s(%u %s): %s\n", function->name, (unsigned)progress->argument, progress->label, what);
}

/* The next case; 0: there is none. */
static int advance(void)
{
    progress->value++;
    while (progress->function < sizeof functions / sizeof *functions) {
        const char *arguments = functions[progress->function].arguments;
        if (arguments[progress->argument] == 0) {
            progress->function++;
            progress->argument = 0;
            progress->value = 0;
        } else if (bad(arguments[progress->argument], progress->value) >= 0) {
            return 1;
        } else {
            progress->argument++;
            progress->value = 0;
        }
    }
    return 0;
}

static void run(void)
{
    char text[64];
    const struct function *function = &functions[progress->function];
    char kind = function->arguments[progress->argument];
    int way = bad(kind, progress->value);
    make_good();
    uint64_t value = spoiled(kind, way);
    progress->label = ways[way].label;
    errno = 0;
    is_over = 0;
    progress->was_begun = 1;
    sem_post(&began);
    intptr_t result = (intptr_t)(int)call(function, progress->argument, value);
    is_over = 1;
    int error = errno;
    progress->was_begun = 0;
    if (error != 0)
        snprintf(text, sizeof text, "%d, errno %d", result == 0 ? 0 : -1, error);
    else if (result >= -1 && result <= 255)
        snprintf(text, sizeof text, "%d", (int)result);
    else
        snprintf(text, sizeof text, "something");
    tell(text);
    end_good();
}

int main(void)
{
    void *memory;
    size_t length;
    pthread_t thread;
    if (shm_attach(REGION_PROGRESS, GIO_READ_WRITE, &memory, &length) != 0)
        return 1;
    progress = memory;
    int more = 1;
    if (progress->was_begun != 0) {
        tell(progress->was_begun == 2 ? "waits" : "fault");
        progress->was_begun = 0;
        more = advance();
    }
    pthread_attr_t attr;
    struct sched_param urgent = { .sched_priority = 40 };
    sem_init(&began, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &urgent);
    if (pthread_create(&thread, &attr, watch, NULL) != 0)
        return 2;
    for (; more; more = advance())
        run();
    puts("all have been swept");
    return 0;
}
