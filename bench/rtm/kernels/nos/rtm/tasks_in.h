/* What the dispatcher asks of the tasks, by the task manager. A task that runs is ready there
 * until it ends: nothing is asked meanwhile. */

static struct task *of_record[TASK_MANAGER_RECORDS];
static uint8_t records;

static void tasks_add(struct task *task, uint8_t priority)
{
    task->place.record = record_of(records);
    of_record[records++] = task;
    rtm_write_record(task->place.record, 0,
                     rtm_record(RTM_STATUS_VALID | RTM_STATUS_SUSPENDED, priority, 0));
}

/* A task is due in so many ticks, fewer than 2^16. */
INLINE void tasks_release(struct task *task, uint32_t due_in)
{
    record_address record = task->place.record;
    if (SELDOM(due_in == 0)) {
        rtm_write_status(record, 0, RTM_STATUS_VALID);
    } else {
        rtm_write_delay(record, 0, due_in);
        rtm_write_status(record, 0, RTM_STATUS_VALID | RTM_STATUS_DELAYED);
    }
}

/* A task is not due any more. */
INLINE void tasks_retire(struct task *task)
{
    rtm_write_status(task->place.record, 0, RTM_STATUS_VALID | RTM_STATUS_SUSPENDED);
}

INLINE void tasks_advance(uint32_t passed)
{
    rtm_write_advance(TASK_MANAGER, passed);
}

/* The most urgent task that is due, or NULL. */
INLINE struct task *tasks_take_first(void)
{
    uint32_t record = rtm_read_top(TASK_MANAGER);
    return record & RTM_ANSWER_NONE ? NULL : of_record[record];
}
