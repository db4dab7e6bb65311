#include "port.h"

struct periodic {
    struct task task;
    uint32_t period, next;
    void (*job)(void *);
    void *argument;
};

uint32_t port_late;

static struct periodic periodics[PORT_TASKS];
static uint32_t count;

static uint32_t run_periodic(void *own, uint32_t now)
{
    struct periodic *periodic = own;
    periodic->job(periodic->argument);
    periodic->next += periodic->period;
    if ((int32_t)(periodic->next - now) > 0)
        return periodic->next;
    port_late++;
    return now;
}

void on_poll(void)
{
    if (lines_high() & GENERATOR_LINE) {
        category(APPLICATION);
        on_arrival();
    }
}

void port_init(void)
{
}

void port_periodic(uint8_t priority, uint32_t period_ticks, void (*job)(void *), void *argument)
{
    struct periodic *periodic = &periodics[count++];
    *periodic = (struct periodic){
        .period = period_ticks, .next = 1, .job = job, .argument = argument};
    task_create(&periodic->task, priority, run_periodic, periodic, 1);
}

void port_start(void)
{
    lines_select(GENERATOR_LINE);
    kernel_run();
}
