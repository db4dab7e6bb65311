/* What the dispatcher asks of the tasks, by the task manager. A task that runs is ready there
 * until it ends: nothing is asked meanwhile. */

static struct task *of_record[RTM_RECORDS];
static uint8_t records;

static void tasks_add(struct task *task, uint8_t priority)
{
    task->place.record = RTM_RECORD(records);
    of_record[records++] = task;
    task->place.record->word = RTM_VALID | RTM_SUSPENDED | (uint32_t)priority << 8;
}

/* A task is due in so many ticks, fewer than 2^16. */
INLINE void tasks_release(struct task *task, uint32_t due_in)
{
    struct rtm_record *record = task->place.record;
    if (due_in == NEVER) {
        *rtm_status(record) = RTM_VALID | RTM_SUSPENDED;
    } else if (due_in == 0) {
        *rtm_status(record) = RTM_VALID;
    } else {
        record->delay = (uint16_t)due_in;
        *rtm_status(record) = RTM_VALID | RTM_DELAYED;
    }
}

INLINE void tasks_advance(uint32_t passed)
{
    RTM_ADVANCE = passed;
}

/* The most urgent task that is due, or NULL. */
INLINE struct task *tasks_take_first(void)
{
    uint32_t record = RTM_TOP;
    return record & RTM_NONE ? NULL : of_record[record];
}
