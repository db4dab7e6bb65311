#include "kernel.h"

#include <stddef.h>

#include "tasks_in.h"

/* Ticks that the timer has counted. */
static volatile uint32_t ticks;

void task_create(struct task *task, uint8_t priority, uint32_t (*run)(void *, uint32_t),
                 void *argument, uint32_t due)
{
    task->run = run;
    task->argument = argument;
    tasks_add(task, priority);
    tasks_release(task, due);
}

/* The timer's interrupt: there is no other. */
void kernel_interrupt(void)
{
    ALARM += CYCLES_PER_TICK;
    ticks++;
}

void kernel_run(void)
{
    ALARM_HIGH = 0;
    ALARM = TIME + CYCLES_PER_TICK;
    interrupts_enable(ENABLE_TIMER);
    interrupts_on();
    /* The tick that the dispatcher has reached. */
    uint32_t now = 0;
    for (;;) {
        category(POLLING);
        uint32_t passed = ticks - now;
        if (passed > 0) {
            category(CLOCK_TICKS);
            now += passed;
            tasks_advance(passed);
            category(POLLING);
        }
        struct task *task = tasks_take_first();
        if (task == NULL) {
            category(IDLE);
            while (ticks == now)
                on_poll();
            continue;
        }
        category(APPLICATION);
        uint32_t due = task->run(task->argument, now);
        on_poll();
        category(RELEASE_TIMES);
        if (SELDOM(due == NEVER))
            tasks_retire(task);
        else
            tasks_release(task, due - now);
    }
}
