#include "port.h"

/* Not a power of two, so that the tops of stacks do not share the lines of a cache. */
#define STACK_WORDS 1064

struct periodic {
    struct task task;
    uint32_t period;
    void (*job)(void *);
    void *argument;
};

uint32_t port_late;

static struct periodic periodics[PORT_TASKS];
static uint32_t stacks[PORT_TASKS][STACK_WORDS];
static uint32_t count;

static struct task answering;
static uint32_t answering_stack[STACK_WORDS];
static struct event arrived;

static void run_answering(void *unused)
{
    (void)unused;
    for (;;) {
        semaphore_pend(&arrived, 0);
        on_arrival_in_task();
    }
}

static void run_periodic(void *own)
{
    const struct periodic *periodic = own;
    task_delay(1);
    uint32_t next = kernel_ticks();
    for (;;) {
        periodic->job(periodic->argument);
        next += periodic->period;
        int32_t left = (int32_t)(next - kernel_ticks());
        if (left > 0)
            task_delay((uint16_t)left);
        else
            port_late++;
    }
}

void on_external(void)
{
    category(APPLICATION);
    on_arrival();
    semaphore_post(&arrived);
}

void port_init(void)
{
    kernel_init();
    semaphore_create(&arrived, 0);
    task_create(&answering, 0, run_answering, 0, answering_stack, STACK_WORDS);
}

void port_periodic(uint8_t priority, uint32_t period_ticks, void (*job)(void *), void *argument)
{
    struct periodic *periodic = &periodics[count];
    *periodic = (struct periodic){.period = period_ticks, .job = job, .argument = argument};
    task_create(&periodic->task, priority, run_periodic, periodic, stacks[count], STACK_WORDS);
    count++;
}

void port_start(void)
{
    lines_select(GENERATOR_LINE);
    interrupts_enable(ENABLE_EXTERNAL);
    kernel_start();
}
