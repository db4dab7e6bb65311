/* Signals. A handler runs on the stack of a thread of the process that does not block its
 * signal; what the hardware finds wrong is a fault of the process, and no signal. All
 * functions but those of pthread.h return 0, or -1 with the error in `errno`. */
#ifndef GIORNATA_POSIX_SIGNAL_H
#define GIORNATA_POSIX_SIGNAL_H

/* (that picolibc's have been read, too) */
#define _SIGNAL_H_
#define _SYS_SIGNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/_sigset.h>
#include <sys/_timespec.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _SIGSET_T_DECLARED
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t;
#endif

typedef int sig_atomic_t;
typedef void (*_sig_func_ptr)(int);

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTKFLT 16
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGPOLL SIGIO
#define SIGPWR 30
#define SIGSYS 31
#define SIGIOT SIGABRT
#define SIGCLD SIGCHLD
/* Queued, with a value; the lowest goes first. */
#define SIGRTMIN 32
#define SIGRTMAX 63
#define NSIG 64
#ifndef RTSIG_MAX
#define RTSIG_MAX 32
#endif
#ifndef SIGQUEUE_MAX
#define SIGQUEUE_MAX 32
#endif

#define SIG_DFL ((_sig_func_ptr)0)
#define SIG_IGN ((_sig_func_ptr)1)
#define SIG_ERR ((_sig_func_ptr)-1)

union sigval {
    int sival_int;
    void *sival_ptr;
};

typedef struct {
    int si_signo;
    int si_code;
    union sigval si_value;
    int si_errno;
    pid_t si_pid;
    uid_t si_uid;
    int si_status;
    void *si_addr;
} siginfo_t;

#define SI_USER 1
#define SI_QUEUE 2
#define SI_TIMER 3
#define SI_ASYNCIO 4
#define SI_MESGQ 5

/* Why a signal of the hardware came. It is a fault of the process here, so none comes with one
 * of these; programs name them. */
#define ILL_ILLOPC 1
#define ILL_ILLOPN 2
#define ILL_ILLADR 3
#define ILL_ILLTRP 4
#define ILL_PRVOPC 5
#define ILL_PRVREG 6
#define ILL_COPROC 7
#define ILL_BADSTK 8
#define FPE_INTDIV 1
#define FPE_INTOVF 2
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define FPE_FLTSUB 8
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define BUS_ADRALN 1
#define BUS_ADRERR 2
#define BUS_OBJERR 3
#define TRAP_BRKPT 1
#define TRAP_TRACE 2
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_DUMPED 3
#define CLD_TRAPPED 4
#define CLD_STOPPED 5
#define CLD_CONTINUED 6

struct sigaction {
    union {
        void (*__handler)(int);
        void (*__action)(int, siginfo_t *, void *);
    } __function;
    sigset_t sa_mask;
    int sa_flags;
};

#define sa_handler __function.__handler
#define sa_sigaction __function.__action

#define SA_NOCLDSTOP 1
#define SA_SIGINFO 2
#define SA_NOCLDWAIT 4
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND ((int)0x80000000)

#define SIG_SETMASK 0
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2

/* How a timer or a message queue tells: by a signal, by a function in a thread of its own
 * (from one of the `spare-threads`), or not at all. */
#define SIGEV_NONE 1
#define SIGEV_SIGNAL 2
#define SIGEV_THREAD 3

struct sigevent {
    int sigev_notify;
    int sigev_signo;
    union sigval sigev_value;
    void (*sigev_notify_function)(union sigval);
    /* (a pthread_attr_t) */
    void *sigev_notify_attributes;
};

/* EINVAL: there is no such signal, or it cannot be caught. */
int sigaction(int number, const struct sigaction *__restrict action,
              struct sigaction *__restrict before);
/* Returns the handler before, or SIG_ERR. */
_sig_func_ptr signal(int number, _sig_func_ptr handler);

int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
/* EINVAL: there is no such signal. */
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigismember(const sigset_t *set, int number);

/* EINVAL: `how` is none of the three. */
int sigprocmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
int sigpending(sigset_t *set);
/* Returns -1 and EINTR when a handler has run. */
int sigsuspend(const sigset_t *set);

/* EINVAL: there is no such signal. ESRCH: there is no such process: 1 is the caller's. */
int kill(pid_t process, int number);
int raise(int number);
/* EAGAIN: SIGQUEUE_MAX are queued. */
int sigqueue(pid_t process, int number, const union sigval value);

/* Return the number of a signal of the set that was taken; EAGAIN: none came in this time.
 * EINTR: a handler ran. */
int sigwaitinfo(const sigset_t *__restrict set, siginfo_t *__restrict info);
int sigtimedwait(const sigset_t *__restrict set, siginfo_t *__restrict info,
                 const struct timespec *__restrict time);

/* These return 0 or the number of an error. */
int sigwait(const sigset_t *__restrict set, int *__restrict number);
int pthread_sigmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
/* (pthread_t is in <pthread.h>) */
int pthread_kill(uint64_t thread, int number);

/* Writes what a signal is to stderr, behind a text that may be NULL. */
void psignal(int number, const char *text);
void psiginfo(const siginfo_t *info, const char *text);
/* The name of a signal without `SIG` (at most SIG2STR_MAX bytes), and the other way. -1: there is
 * none. */
#define SIG2STR_MAX 32
int sig2str(int number, char *name);
int str2sig(const char *__restrict name, int *__restrict number);

/* As of System V. EINVAL: there is no such signal. ESRCH: no such group: 1 is the caller's. */
int killpg(pid_t group, int number);
int sighold(int number);
int sigrelse(int number);
int sigignore(int number);

#ifdef __cplusplus
}
#endif

#endif
