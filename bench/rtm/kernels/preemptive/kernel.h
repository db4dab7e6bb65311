/* A preemptive kernel in the style of uC/OS-II: up to 64 tasks of distinct fixed priorities,
 * counting semaphores, delays in ticks.
 *
 * Which task is ready, waits for an event or is delayed is the matter of `tasks.h`, of which
 * there are two: `software/`, with sets of priorities as bits and a list of all tasks, and
 * `rtm/`, on the registers of the task manager. How time passes is that of `time_in.h`:
 * `ticking/`, by an interrupt each tick, or `counting/`, by the task manager. Nothing else
 * differs. */
#ifndef KERNEL_H
#define KERNEL_H

#include "category.h"
#include "machine.h"
#include "tasks.h"

#define CYCLES_PER_TICK 20000u

enum result {
    DONE,
    TIMED_OUT,
    /* Not in an interrupt, nor while the scheduler is locked. */
    NOT_HERE,
    /* No event, or one of another kind. */
    NO_EVENT,
    /* The semaphore counts no further. */
    TOO_MANY,
};

enum event_kind { UNUSED, SEMAPHORE };

/* What tasks wait for. */
struct event {
    uint8_t kind;
    uint16_t count;
    struct waiters waiters;
};

struct task {
    /* Where its registers lie while it does not run; first, for switch.S. */
    uint32_t *stack;
    struct place place;
};

/* The task that runs; with a name in assembly. */
extern struct task *current;
/* Since the start. */
extern uint32_t switches;

/* Makes the kernel's idle task; first. */
void kernel_init(void);
/* Adds a task, which is ready; 0 is the most urgent priority, each has one task. Not from
 * interrupts. */
void task_create(struct task *task, uint8_t priority, void (*run)(void *), void *argument,
                 uint32_t *stack, uint32_t words);
/* Starts the ticks and the most urgent task. */
__attribute__((noreturn)) void kernel_start(void);

/* Since the start; in interrupts as well. */
uint32_t kernel_ticks(void);

/* The caller runs again after so many ticks; 0: it goes on. */
void task_delay(uint16_t ticks);
/* A task does not run, whatever else it waits for, until it is resumed. */
void task_suspend(struct task *task);
void task_resume(struct task *task);
/* The caller takes turns with the next ready task: they exchange their priorities. */
void task_yield(void);

/* Until as many unlocks as locks no other task runs; interrupts are answered. */
void scheduler_lock(void);
void scheduler_unlock(void);

void semaphore_create(struct event *semaphore, uint16_t count);
/* Takes one, or waits for it: so many ticks at most, or for ever if 0. */
enum result semaphore_pend(struct event *semaphore, uint16_t timeout);
/* Gives one, to the most urgent task that waits; also from interrupts. */
enum result semaphore_post(struct event *semaphore);

/* What the program does at external interrupts. */
void on_external(void);

#endif
