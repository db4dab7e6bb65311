/* Tasks in the task manager: a record each. It knows no wait that is limited in time, so the
 * kernel keeps how many of those there are, and looks at their records after a tick. */
#ifndef TASKS_H
#define TASKS_H

#include <stddef.h>

#include "machine.h"
#include "task_manager.h"

#define TASKS TASK_MANAGER_RECORDS

/* What its waiters wait for, as the records have it, and how many there are: where nobody waits
 * the task manager is not asked. */
struct waiters {
    uint8_t event, count;
};

struct place {
    record_address record;
    uint8_t priority;
    /* Its wait is limited in time; the last one ended so. */
    bool timed, timed_out;
    /* RTM_STATUS_SUSPENDED or 0. */
    uint8_t suspended;
    struct waiters *waits_for;
};

#endif
