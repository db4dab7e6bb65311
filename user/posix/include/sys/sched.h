/* <sys/sched.h> as <sched.h> of picolibc includes it, with sporadic servers. */
#ifndef _SYS_SCHED_H_
#define _SYS_SCHED_H_

#include <sys/_timespec.h>

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

#endif
