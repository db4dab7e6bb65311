/* <sys/sched.h> as <sched.h> of picolibc includes it, with sporadic servers. */
#ifndef _SYS_SCHED_H_
#define _SYS_SCHED_H_

#include <stddef.h>
#include <sys/_timespec.h>
#include <sys/features.h>
#include <sys/types.h>

/* As SCHED_FIFO. */
#define SCHED_OTHER 0
#define SCHED_FIFO 1
/* Quanta of 10 ms. */
#define SCHED_RR 2
#define SCHED_SPORADIC 4
/* Not of POSIX: the earliest deadline first. */
#define SCHED_DEADLINE 6

#ifndef SS_REPL_MAX
#define SS_REPL_MAX 4
#endif

struct sched_param {
    int sched_priority;
    /* Of SCHED_SPORADIC: the priority while the budget is used up, what comes back when, and
     * how many replenishments can be pending, up to SS_REPL_MAX. */
    int sched_ss_low_priority;
    struct timespec sched_ss_repl_period;
    struct timespec sched_ss_init_budget;
    int sched_ss_max_repl;
    /* Of SCHED_DEADLINE: how long after the end of a sleep, or after the thread is given the
     * policy, its deadline is. */
    struct timespec sched_deadline;
};

#if __MISC_VISIBLE || __GNU_VISIBLE
#ifdef __cplusplus
extern "C" {
#endif

/* Harts that a thread may run on: there is one, number 0. */
#define CPU_SETSIZE 32
typedef struct {
    unsigned __bits;
} cpu_set_t;

#define CPU_ZERO(set) ((void)((set)->__bits = 0))
#define __CPU_BIT(number) ((unsigned)(number) < CPU_SETSIZE ? 1u << (number) : 0u)
#define CPU_SET(number, set) ((void)((set)->__bits |= __CPU_BIT(number)))
#define CPU_CLR(number, set) ((void)((set)->__bits &= ~__CPU_BIT(number)))
#define CPU_ISSET(number, set) (((set)->__bits & __CPU_BIT(number)) != 0)
#define CPU_COUNT(set) __builtin_popcount((set)->__bits)
#define CPU_EQUAL(one, other) ((one)->__bits == (other)->__bits)

/* EINVAL: the set is too small, or hart 0 is not in it. ESRCH: a process other than the
 * caller's, which is 1, and 0 too. */
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set);
int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set);
int sched_getcpu(void);

#ifdef __cplusplus
}
#endif
#endif

#endif
