/* Tasks in two queues: those that are not due yet by time, each with the ticks after the one
 * before it, and those that are due by priority. */
#ifndef TASKS_H
#define TASKS_H

#include "machine.h"

struct task;

struct place {
    struct task *next;
    /* In the queue by time: ticks after the one before. */
    uint32_t after;
    uint8_t priority;
};

#endif
