/* What the kernel asks of the tasks, by the task manager. Interrupts are off. */

static struct task *of_record[TASKS];
static uint8_t records, events;
/* How many waits are limited in time. */
static uint8_t timed_waits;

/* Of time_in.h: whether a delay that runs out matters even if the first task stays the same. */
INLINE void time_watch_delays(bool are_watched);

static void tasks_init(void)
{
}

INLINE void set_status(struct task *task, uint32_t status)
{
    rtm_write_status(task->place.record, 0, (uint8_t)status);
}

static void tasks_add(struct task *task, uint8_t priority)
{
    task->place = (struct place){.record = record_of(records), .priority = priority};
    of_record[records++] = task;
    rtm_write_record(task->place.record, 0, rtm_record(RTM_STATUS_VALID, priority, 0));
}

/* The most urgent task that is ready. */
INLINE struct task *tasks_first(void)
{
    return of_record[rtm_read_top(TASK_MANAGER)];
}

/* The most urgent ready task but this one. */
INLINE struct task *tasks_next(struct task *task)
{
    set_status(task, RTM_STATUS_VALID | RTM_STATUS_SUSPENDED);
    struct task *next = tasks_first();
    set_status(task, RTM_STATUS_VALID);
    return next;
}

/* Two ready tasks exchange their priorities. */
INLINE void tasks_exchange(struct task *one, struct task *other)
{
    uint8_t priority = one->place.priority;
    one->place.priority = other->place.priority;
    other->place.priority = priority;
    rtm_write_priority(one->place.record, 0, one->place.priority);
    rtm_write_priority(other->place.record, 0, priority);
}

INLINE void tasks_delay(struct task *task, uint16_t count)
{
    rtm_write_delay(task->place.record, 0, count);
    set_status(task, RTM_STATUS_VALID | RTM_STATUS_DELAYED);
}

INLINE void tasks_suspend(struct task *task)
{
    task->place.suspended = RTM_STATUS_SUSPENDED;
    set_status(task, rtm_read_status(task->place.record, 0) | RTM_STATUS_SUSPENDED);
}

INLINE void tasks_resume(struct task *task)
{
    task->place.suspended = 0;
    set_status(task, rtm_read_status(task->place.record, 0) & ~RTM_STATUS_SUSPENDED);
}

INLINE void waiters_init(struct waiters *waiters)
{
    *waiters = (struct waiters){.event = events++};
}

/* A ready task waits: so many ticks at most, or for ever if 0. */
INLINE void tasks_wait(struct task *task, struct waiters *waiters, uint16_t timeout)
{
    uint8_t status = RTM_STATUS_VALID | RTM_STATUS_EVENT;
    task->place.timed_out = false;
    task->place.waits_for = waiters;
    waiters->count++;
    if (timeout > 0) {
        rtm_write_delay(task->place.record, 0, timeout);
        status |= RTM_STATUS_DELAYED;
        task->place.timed = true;
        if (timed_waits++ == 0)
            time_watch_delays(true);
    }
    rtm_write_record(task->place.record, 0,
                     rtm_record(status, task->place.priority, waiters->event));
}

/* A task waits no longer. */
INLINE void end_wait(struct task *task)
{
    if (task->place.timed) {
        task->place.timed = false;
        if (--timed_waits == 0)
            time_watch_delays(false);
    }
    task->place.waits_for->count--;
    set_status(task, RTM_STATUS_VALID | task->place.suspended);
}

/* The most urgent task that waits is released; whether there was one. */
INLINE bool tasks_release(struct waiters *waiters)
{
    if (waiters->count == 0)
        return false;
    end_wait(of_record[rtm_read_waiter(TASK_MANAGER, waiters->event)]);
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
        if (task->place.timed && !(rtm_read_status(task->place.record, 0) & RTM_STATUS_DELAYED)) {
            task->place.timed_out = true;
            end_wait(task);
        }
    }
}

/* Delays have become shorter. */
INLINE void tasks_look_at_delays(void)
{
    if (timed_waits > 0)
        end_timed_waits();
}

INLINE void tasks_tick(void)
{
    rtm_write_advance(TASK_MANAGER, 1);
    tasks_look_at_delays();
}
