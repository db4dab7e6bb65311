/* A non-preemptive kernel in the style of the paper's NOS: tasks are functions that run to their
 * end, the most urgent one that is due first. The timer's interrupt only counts ticks; the
 * dispatcher handles them when a task has ended, or at once if there is none to run.
 *
 * Which task is due when is the matter of `tasks.h`, of which there are two: `software/`, with a
 * callout queue of the tasks that are not due yet and a sorted queue of those that are, and
 * `rtm/`, on the registers of the task manager. Nothing else differs. */
#ifndef KERNEL_H
#define KERNEL_H

#include "category.h"
#include "machine.h"
#include "tasks.h"

#define CYCLES_PER_TICK 20000u
/* A task returns this if it is not to run again: a tick that runs do not reach. */
#define NEVER UINT32_MAX

struct task {
    /* Takes its argument and the tick that the dispatcher has reached, and returns the one from
     * which on it is due again, at the earliest that. */
    uint32_t (*run)(void *, uint32_t now);
    void *argument;
    struct place place;
};

/* Adds a task before the start, due from a tick on; 0 is the most urgent priority. */
void task_create(struct task *task, uint8_t priority, uint32_t (*run)(void *, uint32_t),
                 void *argument, uint32_t due);
/* Starts the ticks, and runs tasks. */
__attribute__((noreturn)) void kernel_run(void);

/* What the program looks for whenever no task runs. */
void on_poll(void);

#endif
