#include "kernel.h"

#include <stddef.h>

#include "tasks_in.h"
#include "time_in.h"

#define IDLE_PRIORITY (TASKS - 1)
#define IDLE_WORDS 64
/* Words of a frame that an interrupt leaves, and where in it is what; as in switch.S. */
#define FRAME_WORDS 32
#define FRAME_RESUME 0
#define FRAME_PC 1
#define FRAME_A0 10

extern void context_switch(struct task *next);
extern void context_start(struct task *first) __attribute__((noreturn));
extern const char resume_interrupted[];

struct task *current;
uint32_t switches;

static struct task idle;
static uint32_t idle_stack[IDLE_WORDS];
/* Interrupts and locks of the scheduler that are under way: no task is left meanwhile. */
static uint32_t holds;

static void run_idle(void *unused)
{
    (void)unused;
    for (;;) {
        category(IDLE);
        wait_for_interrupt();
    }
}

void kernel_init(void)
{
    tasks_init();
    task_create(&idle, IDLE_PRIORITY, run_idle, NULL, idle_stack, IDLE_WORDS);
}

void task_create(struct task *task, uint8_t priority, void (*run)(void *), void *argument,
                 uint32_t *stack, uint32_t words)
{
    uint32_t *frame = stack + words - FRAME_WORDS;
    frame[FRAME_RESUME] = (uint32_t)resume_interrupted;
    frame[FRAME_PC] = (uint32_t)run;
    frame[FRAME_A0] = (uint32_t)argument;
    task->stack = frame;
    uint32_t before = interrupts_off();
    tasks_add(task, priority);
    interrupts_restore(before);
}

void kernel_start(void)
{
    time_start();
    current = tasks_first();
    context_start(current);
}

/* Goes on with the most urgent task, with interrupts off. */
INLINE void reschedule(void)
{
    if (holds > 0)
        return;
    category(SCHEDULING);
    struct task *next = tasks_first();
    category(MISCELLANEOUS);
    if (next != current) {
        switches++;
        context_switch(next);
    }
}

uint32_t kernel_ticks(void)
{
    return time_now();
}

void scheduler_lock(void)
{
    uint32_t before = interrupts_off();
    holds++;
    interrupts_restore(before);
}

void scheduler_unlock(void)
{
    uint32_t before = interrupts_off();
    if (--holds == 0)
        reschedule();
    category(APPLICATION);
    interrupts_restore(before);
}

void task_delay(uint16_t count)
{
    if (count == 0 || holds > 0)
        return;
    category(MISCELLANEOUS);
    uint32_t before = interrupts_off();
    tasks_delay(current, count);
    reschedule();
    category(APPLICATION);
    interrupts_restore(before);
}

void task_suspend(struct task *task)
{
    category(MISCELLANEOUS);
    uint32_t before = interrupts_off();
    tasks_suspend(task);
    reschedule();
    category(APPLICATION);
    interrupts_restore(before);
}

void task_resume(struct task *task)
{
    category(MISCELLANEOUS);
    uint32_t before = interrupts_off();
    tasks_resume(task);
    reschedule();
    category(APPLICATION);
    interrupts_restore(before);
}

void task_yield(void)
{
    if (holds > 0)
        return;
    category(SCHEDULING);
    uint32_t before = interrupts_off();
    struct task *next = tasks_next(current);
    if (next != &idle) {
        tasks_exchange(current, next);
        category(MISCELLANEOUS);
        switches++;
        context_switch(next);
    }
    category(APPLICATION);
    interrupts_restore(before);
}

void semaphore_create(struct event *semaphore, uint16_t count)
{
    semaphore->kind = SEMAPHORE;
    semaphore->count = count;
    waiters_init(&semaphore->waiters);
}

enum result semaphore_pend(struct event *semaphore, uint16_t timeout)
{
    if (holds > 0)
        return NOT_HERE;
    if (semaphore == NULL || semaphore->kind != SEMAPHORE)
        return NO_EVENT;
    category(IPC);
    enum result result = DONE;
    uint32_t before = interrupts_off();
    if (semaphore->count > 0) {
        semaphore->count--;
    } else {
        tasks_wait(current, &semaphore->waiters, timeout);
        reschedule();
        category(IPC);
        result = tasks_has_timed_out(current) ? TIMED_OUT : DONE;
    }
    category(APPLICATION);
    interrupts_restore(before);
    return result;
}

enum result semaphore_post(struct event *semaphore)
{
    if (semaphore == NULL || semaphore->kind != SEMAPHORE)
        return NO_EVENT;
    category(IPC);
    enum result result = DONE;
    uint32_t before = interrupts_off();
    if (tasks_release(&semaphore->waiters)) {
        reschedule();
    } else if (semaphore->count < UINT16_MAX) {
        semaphore->count++;
    } else {
        result = TOO_MANY;
    }
    category(APPLICATION);
    interrupts_restore(before);
    return result;
}

/* An interrupt, on the stack of interrupts; returns the task that runs on. */
struct task *kernel_interrupt(uint32_t cause)
{
    bool is_time = time_is_cause(cause);
    holds++;
    if (is_time)
        time_advance();
    else
        on_external();
    holds--;
    category(SCHEDULING);
    /* (asked whether it may run or not: that ends an interrupt of the task manager) */
    struct task *first = tasks_first();
    struct task *next = holds > 0 ? current : first;
    category(is_time ? TIMER_INTERRUPT : MISCELLANEOUS);
    switches += next != current;
    return next;
}
