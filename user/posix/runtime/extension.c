/* What POSIX.13 does not ask of the profile and nearly every program uses: as far as it has a
 * meaning where a process sees itself only. */

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* The process, its parent, and its user. */
#define SELF 1
#define NOBODY 0
#define USER 0

unsigned sleep(unsigned seconds)
{
    struct timespec time = { .tv_sec = seconds }, rest = { 0 };
    int error = errno;
    int slept = nanosleep(&time, &rest);
    errno = error;
    /* (to the nearest: a wait of 10 s that ends after 3 has 7 left) */
    return slept == 0 ? 0 : (unsigned)(rest.tv_sec + (rest.tv_nsec >= 500000000));
}

int usleep(useconds_t microseconds)
{
    struct timespec time = {
        .tv_sec = microseconds / 1000000,
        .tv_nsec = microseconds % 1000000 * 1000,
    };
    return nanosleep(&time, NULL);
}

pid_t getppid(void)
{
    return NOBODY;
}

pid_t getpgrp(void)
{
    return SELF;
}

static pid_t own(pid_t process)
{
    if (process == 0 || process == SELF)
        return SELF;
    errno = ESRCH;
    return -1;
}

pid_t getpgid(pid_t process)
{
    return own(process);
}

pid_t getsid(pid_t process)
{
    return own(process);
}

uid_t getuid(void)
{
    return USER;
}

uid_t geteuid(void)
{
    return USER;
}

gid_t getgid(void)
{
    return USER;
}

gid_t getegid(void)
{
    return USER;
}

int gethostname(char *name, size_t size)
{
    if (size == 0) {
        errno = EINVAL;
        return -1;
    }
    name[0] = 0;
    return 0;
}

int killpg(pid_t group, int number)
{
    if (group == 0 || group == SELF)
        return kill(SELF, number);
    errno = group < 0 ? EINVAL : ESRCH;
    return -1;
}

/* ---- Signals by the functions of System V ------------------------------------------------ */

static int change(int how, int number)
{
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, number) == 0 ? sigprocmask(how, &set, NULL) : -1;
}

int sighold(int number)
{
    return change(SIG_BLOCK, number);
}

int sigrelse(int number)
{
    return change(SIG_UNBLOCK, number);
}

int sigignore(int number)
{
    struct sigaction action = { .sa_handler = SIG_IGN };
    return sigaction(number, &action, NULL);
}

/* Names of signals, as <signal.h> numbers them; the same list has their descriptions. */
#define SIGNALS(X)                                   \
    X(HUP, "Hangup")                                 \
    X(INT, "Interrupt")                              \
    X(QUIT, "Quit")                                  \
    X(ILL, "Illegal instruction")                    \
    X(TRAP, "Trace/breakpoint trap")                 \
    X(ABRT, "Aborted")                               \
    X(BUS, "Bus error")                              \
    X(FPE, "Floating point exception")               \
    X(KILL, "Killed")                                \
    X(USR1, "User defined signal 1")                 \
    X(SEGV, "Segmentation fault")                    \
    X(USR2, "User defined signal 2")                 \
    X(PIPE, "Broken pipe")                           \
    X(ALRM, "Alarm clock")                           \
    X(TERM, "Terminated")                            \
    X(STKFLT, "Stack fault")                         \
    X(CHLD, "Child exited")                          \
    X(CONT, "Continued")                             \
    X(STOP, "Stopped (signal)")                      \
    X(TSTP, "Stopped")                               \
    X(TTIN, "Stopped (tty input)")                   \
    X(TTOU, "Stopped (tty output)")                  \
    X(URG, "Urgent I/O condition")                   \
    X(XCPU, "CPU time limit exceeded")               \
    X(XFSZ, "File size limit exceeded")              \
    X(VTALRM, "Virtual timer expired")               \
    X(PROF, "Profiling timer expired")               \
    X(WINCH, "Window changed")                       \
    X(IO, "I/O possible")                            \
    X(PWR, "Power failure")                          \
    X(SYS, "Bad system call")

static const struct {
    const char *name, *text;
} signals[SIGRTMIN] = {
#define SIGNAL(name, text) [SIG##name] = { #name, text },
    SIGNALS(SIGNAL)
};

char *strsignal(int number)
{
    static _Thread_local char text[24];
    if (number > 0 && number < SIGRTMIN)
        return (char *)signals[number].text;
    if (number >= SIGRTMIN && number <= SIGRTMAX)
        snprintf(text, sizeof text, "Real-time signal %d", number - SIGRTMIN);
    else
        snprintf(text, sizeof text, "Unknown signal %d", number);
    return text;
}

void psignal(int number, const char *text)
{
    if (text != NULL && text[0] != 0)
        fprintf(stderr, "%s: ", text);
    fprintf(stderr, "%s\n", strsignal(number));
}

void psiginfo(const siginfo_t *info, const char *text)
{
    psignal(info->si_signo, text);
}

int sig2str(int number, char *name)
{
    if (number > 0 && number < SIGRTMIN)
        strcpy(name, signals[number].name);
    else if (number == SIGRTMIN || number == SIGRTMAX)
        strcpy(name, number == SIGRTMIN ? "RTMIN" : "RTMAX");
    else if (number > SIGRTMIN && number < SIGRTMAX)
        sprintf(name, "RTMIN+%d", number - SIGRTMIN);
    else
        return -1;
    return 0;
}

int str2sig(const char *restrict name, int *restrict number)
{
    char own[SIG2STR_MAX];
    for (int at = 1; at <= SIGRTMAX; at++)
        if (sig2str(at, own) == 0 && strcmp(own, name) == 0) {
            *number = at;
            return 0;
        }
    return -1;
}

/* ---- Where threads run: there is one hart that they may use ------------------------------- */

static int is_set_of(size_t bytes, const cpu_set_t *set)
{
    return bytes >= sizeof *set && CPU_ISSET(0, set);
}

int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
    int error = pthread_kill(thread, 0);
    if (error == 0 && bytes < sizeof *set)
        error = EINVAL;
    if (error == 0) {
        memset(set, 0, bytes);
        CPU_SET(0, set);
    }
    return error;
}

int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    int error = pthread_kill(thread, 0);
    return error == 0 && !is_set_of(bytes, set) ? EINVAL : error;
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    int error = own(process) < 0 ? ESRCH : pthread_getaffinity_np(pthread_self(), bytes, set);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    if (own(process) < 0)
        return -1;
    if (is_set_of(bytes, set))
        return 0;
    errno = EINVAL;
    return -1;
}

int sched_getcpu(void)
{
    return 0;
}

int pthread_yield(void)
{
    return sched_yield();
}
