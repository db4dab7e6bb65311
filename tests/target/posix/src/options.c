/* What sysconf(), <unistd.h> and <limits.h> say that there is, held against what works: the same
 * with a kernel that has less. And what is there beyond the profile. */

#include <errno.h>
#include <giornata.h>
#include <limits.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "nanoseconds.h"

static const struct timespec past = { .tv_nsec = 1 };

/* A more urgent thread does something. */
static pthread_t urgent(void *(*function)(void *), void *argument)
{
    pthread_t thread = 0;
    pthread_attr_t attr;
    struct sched_param param = { .sched_priority = 30 };
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &param);
    CHECK(pthread_create(&thread, &attr, function, argument) == 0);
    return thread;
}

static int result_of(pthread_t thread)
{
    void *result = NULL;
    CHECK(pthread_join(thread, &result) == 0);
    return (int)(intptr_t)result;
}

/* ---- A use of each option that a kernel without it refuses -------------------------------- */

static void *lock(void *mutex)
{
    int error = pthread_mutex_lock(mutex);
    if (error == 0)
        pthread_mutex_unlock(mutex);
    return (void *)(intptr_t)error;
}

static int contended(int protocol)
{
    pthread_mutex_t mutex;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    if (pthread_mutexattr_setprotocol(&attr, protocol) != 0 ||
        pthread_mutexattr_setprioceiling(&attr, 25) != 0)
        return 0;
    if (protocol == PTHREAD_PRIO_PROTECT)
        /* (above the ceiling, which the more urgent thread may not take) */
        pthread_mutexattr_setprioceiling(&attr, 30);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutex_lock(&mutex);
    pthread_t thread = urgent(lock, &mutex);
    pthread_mutex_unlock(&mutex);
    int error = result_of(thread);
    /* (a ceiling lets nobody come to wait, so it works with any kernel) */
    return error == 0 && pthread_mutex_destroy(&mutex) == 0;
}

static int inherits(void)
{
    return contended(PTHREAD_PRIO_INHERIT);
}

/* Whoever waits for a condition can be woken by a signal of it in time only. */
static int waits(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    return pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT;
}

static int protects(void)
{
    return contended(PTHREAD_PRIO_PROTECT) && waits();
}

static void *leave_locked(void *mutex)
{
    return (void *)(intptr_t)pthread_mutex_lock(mutex);
}

static int is_robust(int protocol)
{
    pthread_mutex_t mutex;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, protocol);
    pthread_mutexattr_setprioceiling(&attr, 30);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    return result_of(urgent(leave_locked, &mutex)) == 0 &&
           pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0 &&
           pthread_mutex_unlock(&mutex) == 0;
}

static int is_robust_inheriting(void)
{
    return is_robust(PTHREAD_PRIO_INHERIT);
}

static int is_robust_protecting(void)
{
    return is_robust(PTHREAD_PRIO_PROTECT);
}

static void *come(void *barrier)
{
    return (void *)(intptr_t)pthread_barrier_wait(barrier);
}

static int meets(void)
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t thread = urgent(come, &barrier);
    int own = waits() ? pthread_barrier_wait(&barrier) : ENOSYS, other = result_of(thread);
    return own + other == PTHREAD_BARRIER_SERIAL_THREAD;
}

static int reads_and_writes(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    return pthread_rwlock_rdlock(&lock) == 0 &&
           pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT &&
           pthread_rwlock_unlock(&lock) == 0;
}

static void *spin(void *lock)
{
    return (void *)(intptr_t)pthread_spin_lock(lock);
}

static int spins(void)
{
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_t thread = urgent(spin, &lock);
    pthread_spin_unlock(&lock);
    return result_of(thread) == 0;
}

static int counts(void)
{
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    return sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT;
}

static int passes_messages(void)
{
    char message[64];
    mqd_t queue = mq_open("/options", O_RDWR | O_CREAT, 0600, NULL);
    int result = queue >= 0 && mq_send(queue, "x", 1, 0) == 0 &&
                 mq_receive(queue, message, sizeof message, NULL) == 1 &&
                 mq_timedreceive(queue, message, sizeof message, NULL, &past) == -1 &&
                 errno == ETIMEDOUT;
    mq_close(queue);
    mq_unlink("/options");
    return result;
}

static volatile int handled;

static void handle(int number)
{
    handled = number;
}

static int waits_for_signals(void)
{
    sigset_t set;
    siginfo_t info;
    union sigval value = { .sival_int = 7 };
    struct timespec short_time = { .tv_nsec = 1000 };
    sigemptyset(&set);
    sigaddset(&set, SIGRTMAX);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int result = sigqueue(getpid(), SIGRTMAX, value) == 0 &&
                 sigwaitinfo(&set, &info) == SIGRTMAX && info.si_value.sival_int == 7 &&
                 sigtimedwait(&set, &info, &short_time) == -1 && errno == EAGAIN;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return result;
}

static int has_timers(void)
{
    timer_t timer;
    struct itimerspec once = { .it_value = { .tv_nsec = 1000000 } };
    struct timespec long_time = { .tv_nsec = 100000000 };
    struct sigaction action = { .sa_handler = handle }, before;
    sigaction(SIGALRM, &action, &before);
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0)
        return 0;
    handled = 0;
    int result = timer_settime(timer, 0, &once, NULL) == 0 &&
                 nanosleep(&long_time, NULL) == -1 && errno == EINTR && handled == SIGALRM;
    timer_delete(timer);
    sigaction(SIGALRM, &before, NULL);
    return result;
}

static int tells_time_of_process(void)
{
    struct timespec spent;
    clockid_t own;
    return clock_getcpuclockid(0, &own) == 0 && clock_gettime(own, &spent) == 0;
}

static int tells_time_of_thread(void)
{
    struct timespec spent;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) == 0;
}

static const struct sched_param server = {
    .sched_priority = 20,
    .sched_ss_low_priority = 10,
    .sched_ss_repl_period = { .tv_nsec = 100000000 },
    .sched_ss_init_budget = { .tv_nsec = 50000000 },
    .sched_ss_max_repl = 2,
};

static int serves(void)
{
    struct sched_param fixed = { .sched_priority = 20 };
    return pthread_setschedparam(pthread_self(), SCHED_SPORADIC, &server) == 0 &&
           pthread_setschedparam(pthread_self(), SCHED_FIFO, &fixed) == 0;
}

static int process_serves(void)
{
    struct sched_param fixed = { .sched_priority = 20 };
    return sched_setscheduler(0, SCHED_SPORADIC, &server) == SCHED_FIFO &&
           sched_getscheduler(0) == SCHED_SPORADIC &&
           sched_setscheduler(getpid(), SCHED_FIFO, &fixed) == SCHED_SPORADIC;
}

static int has_priorities(void)
{
    struct sched_param param;
    int policy;
    return pthread_getschedparam(pthread_self(), &policy, &param) == 0 &&
           pthread_setschedparam(pthread_self(), policy, &param) == 0 &&
           sched_getparam(0, &param) == 0 && param.sched_priority == 20 &&
           sched_setparam(0, &param) == 0;
}

static int selects_clocks(void)
{
    pthread_condattr_t attr;
    return pthread_condattr_init(&attr) == 0 &&
           pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
           clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL) == 0;
}

static int is_monotonic(void)
{
    struct timespec time;
    return clock_gettime(CLOCK_MONOTONIC, &time) == 0 &&
           clock_settime(CLOCK_MONOTONIC, &time) == -1;
}

static int shares(void)
{
    int file = shm_open("/options", O_RDWR | O_CREAT, 0600);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, 4096) == 0)
        memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory != MAP_FAILED && munmap(memory, 4096) == 0 && close(file) == 0 &&
           shm_unlink("/options") == 0;
}

static int locks_memory(void)
{
    return mlockall(MCL_CURRENT) == 0 && munlockall() == 0 && mlock(&past, 1) == 0;
}

static int synchronizes(void)
{
    return fsync(1) == 0 && fdatasync(1) == 0;
}

static int takes_stacks(void)
{
    pthread_attr_t attr;
    return pthread_attr_init(&attr) == 0 &&
           pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0 &&
           pthread_attr_setstack(&attr, (void *)(uintptr_t)4096, PTHREAD_STACK_MIN) == 0;
}

static void *nothing(void *argument)
{
    return argument;
}

static int has_threads(void)
{
    return result_of(urgent(nothing, NULL)) == 0;
}

static int is_reentrant(void)
{
    struct tm tm;
    time_t none = 0;
    return gmtime_r(&none, &tm) == &tm && tm.tm_year == 70;
}

/* By the name behind `_POSIX_` and `_SC_`. */
#define OPTION(name, works) { #name, _SC_##name, _POSIX_##name, works }

static const struct {
    const char *name;
    int number;
    long value;
    int (*works)(void);
} options[] = {
    OPTION(BARRIERS, meets),
    OPTION(CLOCK_SELECTION, selects_clocks),
    OPTION(CPUTIME, tells_time_of_process),
    OPTION(FSYNC, synchronizes),
    OPTION(MAPPED_FILES, shares),
    OPTION(MEMLOCK, locks_memory),
    OPTION(MEMLOCK_RANGE, locks_memory),
    OPTION(MESSAGE_PASSING, passes_messages),
    OPTION(MONOTONIC_CLOCK, is_monotonic),
    OPTION(PRIORITY_SCHEDULING, has_priorities),
    OPTION(READER_WRITER_LOCKS, reads_and_writes),
    OPTION(REALTIME_SIGNALS, waits_for_signals),
    OPTION(SEMAPHORES, counts),
    OPTION(SHARED_MEMORY_OBJECTS, shares),
    OPTION(SPIN_LOCKS, spins),
    OPTION(SPORADIC_SERVER, process_serves),
    OPTION(SYNCHRONIZED_IO, synchronizes),
    OPTION(THREADS, has_threads),
    OPTION(THREAD_ATTR_STACKADDR, takes_stacks),
    OPTION(THREAD_ATTR_STACKSIZE, takes_stacks),
    OPTION(THREAD_CPUTIME, tells_time_of_thread),
    OPTION(THREAD_PRIORITY_SCHEDULING, has_priorities),
    OPTION(THREAD_PRIO_INHERIT, inherits),
    OPTION(THREAD_PRIO_PROTECT, protects),
    OPTION(THREAD_ROBUST_PRIO_INHERIT, is_robust_inheriting),
    OPTION(THREAD_ROBUST_PRIO_PROTECT, is_robust_protecting),
    OPTION(THREAD_SAFE_FUNCTIONS, is_reentrant),
    OPTION(THREAD_SPORADIC_SERVER, serves),
    OPTION(TIMEOUTS, counts),
    OPTION(TIMERS, has_timers),
};

#define COUNT(array) (sizeof array / sizeof *(array))

static void supported(void)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        long told = sysconf(options[i].number);
        int works = options[i].works();
        CHECK((told > 0) == works);
        /* 0: it is sysconf() that knows */
        CHECK(options[i].value == 0 || options[i].value == told);
        CHECK(told == -1 || told == 200809L);
        if (told <= 0 || !works)
            printf("%s: %ld, %s\n", options[i].name, told, works ? "works" : "does not work");
    }
    CHECK(sysconf(_SC_VERSION) == _POSIX_VERSION && _POSIX_VERSION >= 200112L);
#ifdef _POSIX_AEP_REALTIME_MINIMAL
    CHECK(_POSIX_AEP_REALTIME_MINIMAL == 200312L);
#endif
    tell("supported");
}

/* What is not here, and has no constant. */
static void unsupported(void)
{
    static const int names[] = {
        _SC_ADVISORY_INFO, _SC_ASYNCHRONOUS_IO, _SC_IPV6, _SC_JOB_CONTROL, _SC_MEMORY_PROTECTION,
        _SC_PRIORITIZED_IO, _SC_RAW_SOCKETS, _SC_REGEXP, _SC_SAVED_IDS, _SC_SHELL, _SC_SPAWN,
        _SC_THREAD_PROCESS_SHARED, _SC_TRACE, _SC_TRACE_EVENT_FILTER, _SC_TRACE_INHERIT,
        _SC_TRACE_LOG, _SC_TYPED_MEMORY_OBJECTS, _SC_XOPEN_VERSION, _SC_2_VERSION,
        _SC_ARG_MAX, _SC_CHILD_MAX, _SC_SYMLOOP_MAX,
    };
#if defined(_POSIX_ASYNCHRONOUS_IO) || defined(_POSIX_MEMORY_PROTECTION) || \
    defined(_POSIX_PRIORITIZED_IO) || defined(_POSIX_SPAWN) ||              \
    defined(_POSIX_THREAD_PROCESS_SHARED) || defined(_POSIX_TRACE)
#error "an option that is not here"
#endif
    errno = 0;
    for (size_t i = 0; i < COUNT(names); i++)
        CHECK(sysconf(names[i]) == -1 && errno == 0);
    CHECK(sysconf(-1) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sysconf(10000) == -1 && errno == EINVAL);
    tell("unsupported");
}

#define LIMIT(name, least) { _SC_##name, name, least }

static void limits(void)
{
    static const struct {
        int number;
        long value, least;
    } all[] = {
        LIMIT(DELAYTIMER_MAX, _POSIX_DELAYTIMER_MAX),
        LIMIT(MQ_OPEN_MAX, _POSIX_MQ_OPEN_MAX),
        LIMIT(MQ_PRIO_MAX, _POSIX_MQ_PRIO_MAX),
        LIMIT(OPEN_MAX, _POSIX_OPEN_MAX),
        LIMIT(RTSIG_MAX, _POSIX_RTSIG_MAX),
        LIMIT(SEM_NSEMS_MAX, _POSIX_SEM_NSEMS_MAX),
        LIMIT(SEM_VALUE_MAX, _POSIX_SEM_VALUE_MAX),
        LIMIT(SIGQUEUE_MAX, _POSIX_SIGQUEUE_MAX),
        LIMIT(SS_REPL_MAX, _POSIX_SS_REPL_MAX),
        LIMIT(STREAM_MAX, _POSIX_STREAM_MAX),
        LIMIT(TIMER_MAX, _POSIX_TIMER_MAX),
        LIMIT(TZNAME_MAX, _POSIX_TZNAME_MAX),
        LIMIT(ATEXIT_MAX, 32),
        LIMIT(PAGESIZE, 1),
        { _SC_THREAD_KEYS_MAX, PTHREAD_KEYS_MAX, _POSIX_THREAD_KEYS_MAX },
        { _SC_THREAD_DESTRUCTOR_ITERATIONS, PTHREAD_DESTRUCTOR_ITERATIONS,
          _POSIX_THREAD_DESTRUCTOR_ITERATIONS },
        { _SC_THREAD_STACK_MIN, PTHREAD_STACK_MIN, 1 },
        { _SC_CLK_TCK, CLOCKS_PER_SEC, 1 },
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        long told = sysconf(all[i].number);
        CHECK(told == all[i].value && told >= all[i].least);
    }
    CHECK(RTSIG_MAX == SIGRTMAX - SIGRTMIN + 1 && NAME_MAX >= _POSIX_NAME_MAX);
    /* as many threads as the system file has, and spare ones */
    CHECK(sysconf(_SC_THREAD_THREADS_MAX) == 4);
    CHECK(sysconf(_SC_HOST_NAME_MAX) > 0);
    /* all that sem_post() can count, and 30 bytes of a name */
    char name[NAME_MAX + 3] = "/";
    memset(name + 1, 'n', NAME_MAX + 1);
    CHECK(sem_open(name, O_CREAT, 0600, 0) == SEM_FAILED && errno == ENAMETOOLONG);
    name[NAME_MAX + 1] = 0;
    CHECK(sem_open(name, O_CREAT, 0600, 0) != SEM_FAILED && sem_unlink(name) == 0);
    sem_t semaphore;
    CHECK(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
    CHECK(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    CHECK(sem_init(&semaphore, 0, SEM_VALUE_MAX + 1u) == -1 && errno == EINVAL);
    tell("limits");
}

/* ---- Beyond the profile --------------------------------------------------------------------- */

static void identity(void)
{
    char name[4] = "abc";
    CHECK(getpid() == 1 && getppid() == 0 && getpgrp() == getpid() && getpgid(0) == 1);
    CHECK(getsid(1) == 1 && getpgid(77) == -1 && errno == ESRCH);
    CHECK(getuid() == 0 && geteuid() == 0 && getgid() == 0 && getegid() == 0);
    CHECK(gethostname(name, sizeof name) == 0 && name[0] == 0);
    CHECK(gethostname(name, 0) == -1 && errno == EINVAL);
    CHECK(kill(getpid(), 0) == 0 && killpg(getpgrp(), 0) == 0);
    CHECK(killpg(77, 0) == -1 && errno == ESRCH && killpg(-7, 0) == -1 && errno == EINVAL);
    tell("identity");
}

static void names(void)
{
    static const int numbers[] = {
        SIGABRT, SIGALRM, SIGBUS,  SIGCHLD, SIGCONT, SIGFPE,  SIGHUP,  SIGILL,  SIGINT,
        SIGKILL, SIGPIPE, SIGQUIT, SIGSEGV, SIGSTOP, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU,
        SIGUSR1, SIGUSR2, SIGPOLL, SIGPROF, SIGSYS,  SIGTRAP, SIGURG,  SIGVTALRM, SIGXCPU,
        SIGXFSZ,
    };
    sigset_t set;
    int number;
    char name[SIG2STR_MAX];
    sigemptyset(&set);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        CHECK(numbers[i] > 0 && numbers[i] < SIGRTMIN && !sigismember(&set, numbers[i]));
        CHECK(sigaddset(&set, numbers[i]) == 0);
        CHECK(sig2str(numbers[i], name) == 0 && str2sig(name, &number) == 0);
        CHECK(number == numbers[i]);
    }
    CHECK(strcmp(strsignal(SIGUSR1), "User defined signal 1") == 0);
    CHECK(strcmp(strsignal(SIGSYS), "Bad system call") == 0);
    CHECK(strcmp(strsignal(SIGRTMIN + 3), "Real-time signal 3") == 0);
    CHECK(strcmp(strsignal(99), "Unknown signal 99") == 0);
    CHECK(sig2str(SIGRTMIN + 2, name) == 0 && strcmp(name, "RTMIN+2") == 0);
    CHECK(str2sig("RTMAX", &number) == 0 && number == SIGRTMAX);
    CHECK(str2sig("NONE", &number) == -1 && sig2str(0, name) == -1);
    psignal(SIGXCPU, "a name");
    siginfo_t info = { .si_signo = SIGPROF };
    psiginfo(&info, NULL);
    CHECK(sighold(SIGUSR1) == 0 && sigprocmask(SIG_BLOCK, NULL, &set) == 0);
    CHECK(sigismember(&set, SIGUSR1) == 1 && sigrelse(SIGUSR1) == 0);
    CHECK(sigignore(SIGUSR1) == 0 && raise(SIGUSR1) == 0);
    CHECK(sighold(NSIG) == -1 && errno == EINVAL && sigignore(SIGKILL) == -1);
    tell("names");
}

static void *lowest(void *argument)
{
    size_t bytes = 0, used = 0, other = 0;
    volatile char room[1000];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 'x';
    CHECK(gio_stack(&bytes, &used) == 0 && bytes == 4096 && used > 1000 && used <= bytes);
    CHECK(pthread_getstackdepth_np(&bytes, &other) == 0 && bytes == 4096 && other >= used);
    CHECK(pthread_getstackdepth_np(NULL, NULL) == 0);
    return argument;
}

static void *rest(void *argument)
{
    usleep(2000);
    return argument;
}

static void threads(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1);
    CHECK(CPU_ISSET(0, &set) && !CPU_ISSET(1, &set) && sched_getcpu() == 0);
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    CPU_CLR(0, &set);
    CPU_SET(1, &set);
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == EINVAL);
    CHECK(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
    CHECK(pthread_getaffinity_np(77, sizeof set, &set) == ESRCH);
    CHECK(pthread_getaffinity_np(pthread_self(), 1, &set) == EINVAL && pthread_yield() == 0);

    pthread_attr_t attr;
    void *stack;
    size_t bytes;
    char here;
    CHECK(pthread_getattr_np(pthread_self(), &attr) == 0);
    CHECK(pthread_attr_getstack(&attr, &stack, &bytes) == 0 && bytes == 16384);
    CHECK((uintptr_t)&here - (uintptr_t)stack < bytes && pthread_attr_destroy(&attr) == 0);
    CHECK(pthread_getattr_np(77, &attr) == ESRCH);
    result_of(urgent(lowest, NULL));

    void *value = NULL;
    pthread_t thread = urgent(rest, &set);
    struct timespec soon = { 0 };
    CHECK(pthread_getattr_np(thread, &attr) == ENOTSUP);
    CHECK(pthread_tryjoin_np(thread, &value) == EBUSY);
    CHECK(pthread_timedjoin_np(thread, &value, &soon) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(thread, &value, 77, &soon) == EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec++;
    CHECK(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &soon) == 0 && value == &set);
    CHECK(pthread_tryjoin_np(thread, &value) == ESRCH);
    CHECK(pthread_tryjoin_np(pthread_self(), &value) == EDEADLK);
    tell("threads");
}

static void time_and_memory(void)
{
    void *memory = NULL;
    CHECK(posix_memalign(&memory, 256, 100) == 0 && (uintptr_t)memory % 256 == 0);
    free(memory);
    CHECK(posix_memalign(&memory, 3, 100) == EINVAL);
    memory = aligned_alloc(64, 128);
    CHECK(memory != NULL && (uintptr_t)memory % 64 == 0);
    free(memory);
    long long begin = now(CLOCK_MONOTONIC);
    CHECK(usleep(1500) == 0 && now(CLOCK_MONOTONIC) - begin >= 1500000);
    begin = now(CLOCK_MONOTONIC);
    CHECK(sleep(0) == 0 && now(CLOCK_MONOTONIC) - begin < 1000000);
    struct timeval day;
    time_t today = time(NULL);
    char date[12];
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));
    printf("it is %s\n", date);
    CHECK(gettimeofday(&day, NULL) == 0);
    long long shown = day.tv_sec * 1000000000LL + day.tv_usec * 1000LL;
    CHECK(now(CLOCK_REALTIME) - shown >= 0 && now(CLOCK_REALTIME) - shown < 1000000);
    tell("time and memory");
}

/* What needs a kernel with all of it. */
static void waiting(void)
{
    struct timespec then = { 0 };
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };
    for (size_t i = 0; i < COUNT(clocks); i++) {
        clock_gettime(clocks[i], &then);
        then.tv_nsec += 1000000;
        if (then.tv_nsec >= 1000000000) {
            then.tv_sec++;
            then.tv_nsec -= 1000000000;
        }
        long long due = then.tv_sec * 1000000000LL + then.tv_nsec;
        CHECK(sem_clockwait(&semaphore, clocks[i], &then) == -1 && errno == ETIMEDOUT);
        CHECK(now(clocks[i]) >= due && now(clocks[i]) < due + 1000000);
        CHECK(pthread_mutex_clocklock(&mutex, clocks[i], &then) == 0);
        CHECK(pthread_cond_clockwait(&condition, &mutex, clocks[i], &then) == ETIMEDOUT);
        CHECK(pthread_mutex_clocklock(&mutex, clocks[i], &then) == EDEADLK);
        CHECK(pthread_mutex_unlock(&mutex) == 0);
        CHECK(pthread_rwlock_clockrdlock(&lock, clocks[i], &then) == 0);
        CHECK(pthread_rwlock_clockwrlock(&lock, clocks[i], &then) == ETIMEDOUT);
        CHECK(pthread_rwlock_unlock(&lock) == 0);
    }
    CHECK(sem_clockwait(&semaphore, CLOCK_THREAD_CPUTIME_ID, &then) == -1 && errno == EINVAL);
    pthread_mutex_lock(&mutex);
    CHECK(pthread_cond_clockwait(&condition, &mutex, 77, &then) == EINVAL);
    /* a handler ends a sleep: what is left, in seconds */
    struct sigaction action = { .sa_handler = handle };
    sigaction(SIGALRM, &action, NULL);
    errno = 77;
    CHECK(alarm(1) == 0 && sleep(10) == 9 && handled == SIGALRM && errno == 77);
    clock_t spent = clock();
    for (volatile int i = 0; i < 100000; i++)
        ;
    CHECK(clock() != (clock_t)-1 && clock() > spent);
    tell("waiting");
}

int main(void)
{
    supported();
    unsupported();
    limits();
    identity();
    names();
    threads();
    time_and_memory();
    if (sysconf(_SC_SEMAPHORES) > 0)
        waiting();
    return 0;
}
