/* Tasks in software: sets of priorities as bits in rows of eight, the way of uC/OS-II, and a
 * list of all tasks that each tick goes through. */
#ifndef TASKS_H
#define TASKS_H

#include <stddef.h>

#include "machine.h"

#define TASKS 64
#define ROWS (TASKS / 8)

struct task;

/* Priorities: which rows have any, and which are in each row. */
struct priorities {
    uint8_t rows;
    uint8_t in_row[ROWS];
};

/* Those of the tasks that wait for an event. */
struct waiters {
    struct priorities priorities;
};

/* A priority, and where its bits are. */
struct level {
    uint8_t priority, row, row_bit, bit;
};

struct place {
    struct level level;
    uint16_t delay;
    bool suspended, timed_out;
    struct waiters *waits_for;
    struct task *next;
};

#endif
