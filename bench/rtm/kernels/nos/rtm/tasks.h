/* Tasks in the task manager: a record each. */
#ifndef TASKS_H
#define TASKS_H

#include "rtm.h"

struct task;

struct place {
    struct rtm_record *record;
};

#endif
