/* Tasks in the task manager: a record each. */
#ifndef TASKS_H
#define TASKS_H

#include "machine.h"
#include "task_manager.h"

struct task;

struct place {
    record_address record;
};

#endif
