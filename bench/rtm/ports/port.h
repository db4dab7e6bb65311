/* What the experiment asks of a kernel. */
#ifndef PORT_H
#define PORT_H

#include <stdint.h>

#include "kernel.h"
#include "port_kernel.h"

/* Most tasks, the port's own aside. */
#define PORT_TASKS 62

/* Before all else. */
void port_init(void);
/* Adds a task that does a job each period, from the first tick on; 1 is the most urgent priority,
 * each has one task. */
void port_periodic(uint8_t priority, uint32_t period_ticks, void (*job)(void *), void *argument);
/* Starts the kernel, and the interrupts of the generator or the polling for them. */
__attribute__((noreturn)) void port_start(void);

/* What the program does when the generator's line is high: it lowers it. */
void on_arrival(void);
/* What it does for an arrival in a task, where the kernel has one for it. */
void on_arrival_in_task(void);

/* Jobs that began a period late or more. */
extern uint32_t port_late;

#endif
