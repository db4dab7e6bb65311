/* The task manager of the chip: the accessors of its header with where it lies. */
#ifndef TASK_MANAGER_H
#define TASK_MANAGER_H

#include "rtm.h"

#define TASK_MANAGER 0xF0020000u
/* Those of the reference. */
#define TASK_MANAGER_RECORDS 64

/* Where a record lies: from there it is record 0, which needs no multiplication. */
typedef uint32_t record_address;

static inline record_address record_of(uint32_t number)
{
    return TASK_MANAGER + RTM_RECORDS_STRIDE * number;
}

#endif
