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

/* No category: an aperiodic arrival is answered, by its handler or in a task; with the cycle at
 * which its line rose. One store: another probe may come between two. */
#define RESPONSE(rise) (0x40000000u | (rise))
#define TASK_RESPONSE(rise) (0x20000000u | (rise))
/* No category: the experiment begins, and ends. */
#define BEGIN 0x20u
#define END 0x21u

INLINE void tell_begin(void)
{
    PROBE = BEGIN;
}

INLINE void tell_end(void)
{
    PROBE = END;
}

INLINE void tell_response(uint32_t rise)
{
    PROBE = RESPONSE(rise);
}

INLINE void tell_task_response(uint32_t rise)
{
    PROBE = TASK_RESPONSE(rise);
}

#endif
