/* What the processor's time is spent for: the paper's categories, and what is no cost of the
 * kernel. An entry by an interrupt tells its cause in place of a category. */
#ifndef CATEGORIES_H
#define CATEGORIES_H

#include "machine.h"

enum category {
    APPLICATION = 0x10,
    IDLE,
    /* Which task is the first. */
    SCHEDULING,
    /* Semaphores: who waits, who is released. */
    IPC,
    /* Entry and exit of the timer's interrupt, and its next alarm. */
    TIMER_INTERRUPT,
    /* Delays become shorter by a tick. */
    CLOCK_TICKS,
    /* Context switches, entry and exit of other interrupts, calls that delay. */
    MISCELLANEOUS,
    /* The non-preemptive kernel looks for something to do. */
    POLLING,
    /* A task is queued for its next release. */
    RELEASE_TIMES,
};

/* No category: an aperiodic arrival is answered; the next probe tells when its line rose. */
#define RESPONSE 0x20u
/* No category: the same, in a task. */
#define TASK_RESPONSE 0x23u
/* No category: the experiment begins, and ends. */
#define BEGIN 0x21u
#define END 0x22u

#endif
