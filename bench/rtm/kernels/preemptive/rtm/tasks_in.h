/* What the kernel asks of the tasks, by the task manager. Interrupts are off. */

static struct task *of_record[TASKS];
static uint8_t records, events;
/* How many waits are limited in time. */
static uint8_t timed_waits;

static void tasks_init(void)
{
}

INLINE void set_status(struct task *task, uint32_t status)
{
    *rtm_status(task->place.record) = (uint8_t)status;
}

static void tasks_add(struct task *task, uint8_t priority)
{
    task->place = (struct place){.record = RTM_RECORD(records), .priority = priority};
    of_record[records++] = task;
    task->place.record->word = RTM_VALID | (uint32_t)priority << 8;
}

/* The most urgent task that is ready. */
INLINE struct task *tasks_first(void)
{
    return of_record[RTM_TOP];
}

/* The most urgent ready task but this one. */
INLINE struct task *tasks_next(struct task *task)
{
    set_status(task, RTM_VALID | RTM_SUSPENDED);
    struct task *next = tasks_first();
    set_status(task, RTM_VALID);
    return next;
}

/* Two ready tasks exchange their priorities. */
INLINE void tasks_exchange(struct task *one, struct task *other)
{
    uint8_t priority = one->place.priority;
    one->place.priority = other->place.priority;
    other->place.priority = priority;
    *rtm_priority(one->place.record) = one->place.priority;
    *rtm_priority(other->place.record) = priority;
}

INLINE void tasks_delay(struct task *task, uint16_t count)
{
    task->place.record->delay = count;
    set_status(task, RTM_VALID | RTM_DELAYED);
}

INLINE void tasks_suspend(struct task *task)
{
    task->place.suspended = RTM_SUSPENDED;
    set_status(task, *rtm_status(task->place.record) | RTM_SUSPENDED);
}

INLINE void tasks_resume(struct task *task)
{
    task->place.suspended = 0;
    set_status(task, *rtm_status(task->place.record) & ~RTM_SUSPENDED);
}

INLINE void waiters_init(struct waiters *waiters)
{
    *waiters = (struct waiters){.event = events++};
}

/* A ready task waits: so many ticks at most, or for ever if 0. */
INLINE void tasks_wait(struct task *task, struct waiters *waiters, uint16_t timeout)
{
    uint32_t status = RTM_VALID | RTM_WAITS;
    task->place.timed_out = false;
    task->place.waits_for = waiters;
    waiters->count++;
    if (timeout > 0) {
        task->place.record->delay = timeout;
        status |= RTM_DELAYED;
        task->place.timed = true;
        timed_waits++;
    }
    task->place.record->word =
        status | (uint32_t)task->place.priority << 8 | (uint32_t)waiters->event << 16;
}

/* A task waits no longer. */
INLINE void end_wait(struct task *task)
{
    if (task->place.timed) {
        task->place.timed = false;
        timed_waits--;
    }
    task->place.waits_for->count--;
    set_status(task, RTM_VALID | task->place.suspended);
}

/* The most urgent task that waits is released; whether there was one. */
INLINE bool tasks_release(struct waiters *waiters)
{
    if (waiters->count == 0)
        return false;
    end_wait(of_record[RTM_WAITER(waiters->event)]);
    return true;
}

/* Whether the last wait of a task ended by its time. */
INLINE bool tasks_has_timed_out(const struct task *task)
{
    return task->place.timed_out;
}

/* Waits end whose delays have run out. */
static __attribute__((noinline)) void end_timed_waits(void)
{
    for (uint32_t record = 0; record < records; record++) {
        struct task *task = of_record[record];
        if (task->place.timed && !(*rtm_status(task->place.record) & RTM_DELAYED)) {
            task->place.timed_out = true;
            end_wait(task);
        }
    }
}

INLINE void tasks_tick(void)
{
    RTM_ADVANCE = 1;
    if (timed_waits > 0)
        end_timed_waits();
}
