/* Every function of the profile that is not picolibc's, with bad arguments: one is bad at a
 * time, the others are good. What comes of it is told: the result with the error, a wait, or a
 * fault, after which the process begins anew with the next case. */

#include <errno.h>
#include <fcntl.h>
#include <giornata.h>
#include <identifiers.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* What an argument is to be, a letter each:
 *
 * m mutex, c condition, s semaphore, o once, a attributes of threads, M of mutexes, C of
 * conditions, S set of signals, A action, t time, R parameters of scheduling, e event, I
 * setting of a timer, w room for a result, z text, F stream, T thread, d timer, i number, n
 * signal, u clock, h function */
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
    pthread_once_t once;
    pthread_attr_t attr;
    pthread_mutexattr_t mutexattr;
    pthread_condattr_t condattr;
    sigset_t set;
    struct sigaction action;
    struct timespec time;
    struct sched_param parameters;
    struct sigevent event;
    struct itimerspec setting;
    uint64_t room[32];
    timer_t timer;
    pthread_t thread;
} good;

static void nothing(void)
{
}

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
    good.once = (pthread_once_t)PTHREAD_ONCE_INIT;
    pthread_attr_init(&good.attr);
    pthread_mutexattr_init(&good.mutexattr);
    pthread_condattr_init(&good.condattr);
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
}

static const void *object(char kind)
{
    switch (kind) {
    case 'm': return &good.mutex;
    case 'c': return &good.condition;
    case 's': return &good.semaphore;
    case 'o': return &good.once;
    case 'a': return &good.attr;
    case 'M': return &good.mutexattr;
    case 'C': return &good.condattr;
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

static int is_pointer(char kind)
{
    return strchr("mcsoaMCSAtReIwzFh", kind) != NULL;
}

/* A destroyed one of its kind, or one that has ended. */
static int destroy(char kind)
{
    switch (kind) {
    case 'm': return pthread_mutex_destroy(&good.mutex);
    case 'c': return pthread_cond_destroy(&good.condition);
    case 's': return sem_destroy(&good.semaphore);
    case 'a': return pthread_attr_destroy(&good.attr);
    case 'M': return pthread_mutexattr_destroy(&good.mutexattr);
    case 'C': return pthread_condattr_destroy(&good.condattr);
    default: return -1;
    }
}

static uint8_t junk[256] __attribute__((aligned(16)));

/* The bad values of a kind: 0 if there are no more. */
static const char *bad(char kind, unsigned number, uint64_t *value)
{
    if (is_pointer(kind)) {
        switch (number) {
        case 0: *value = 0; return "NULL";
        case 1: *value = (uintptr_t)object(kind) + 1; return "misaligned";
        case 2: *value = 16; return "unmapped";
        case 3: *value = (uintptr_t)nothing & ~(uintptr_t)15; return "in the code";
        case 4:
            memset(junk, 0xA5, sizeof junk);
            *value = (uintptr_t)junk;
            return "uninitialised";
        case 5:
            if (destroy(kind) != 0)
                return NULL;
            *value = (uintptr_t)object(kind);
            return "destroyed";
        default: return NULL;
        }
    }
    if (kind == 'T') {
        pthread_t ended = 0;
        switch (number) {
        case 0: *value = 0; return "0";
        case 1: *value = UINT64_MAX; return "none";
        case 2:
            pthread_create(&ended, NULL, begin, NULL);
            pthread_join(ended, NULL);
            *value = ended;
            return "ended";
        default: return NULL;
        }
    }
    if (kind == 'd') {
        switch (number) {
        case 0: *value = 0; return "0";
        case 1: *value = 77; return "none";
        case 2:
            timer_delete(good.timer);
            *value = good.timer;
            return "deleted";
        default: return NULL;
        }
    }
    switch (number) {
    case 0: *value = (uint64_t)(int64_t)-1; return "-1";
    case 1: *value = (uint64_t)(int64_t)INT_MIN; return "the lowest";
    case 2: *value = INT_MAX; return "the highest";
    default: return NULL;
    }
}

static uint64_t good_value(char kind)
{
    switch (kind) {
    case 'T': return good.thread;
    case 'd': return good.timer;
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
    uint64_t value;
    progress->value++;
    while (progress->function < sizeof functions / sizeof *functions) {
        const char *arguments = functions[progress->function].arguments;
        if (arguments[progress->argument] == 0) {
            progress->function++;
            progress->argument = 0;
            progress->value = 0;
        } else {
            make_good();
            int is_there = bad(arguments[progress->argument], progress->value, &value) != NULL;
            end_good();
            if (is_there)
                return 1;
            progress->argument++;
            progress->value = 0;
        }
    }
    return 0;
}

static void run(void)
{
    char text[64];
    uint64_t value = 0;
    const struct function *function = &functions[progress->function];
    make_good();
    progress->label = bad(function->arguments[progress->argument], progress->value, &value);
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
