/* What the dispatcher asks of the tasks, in software. Each is in one queue, or runs. */

static struct task *pending, *due;

static void tasks_add(struct task *task, uint8_t priority)
{
    task->place.priority = priority;
}

/* A task is due: behind those that are at least as urgent. */
INLINE void enqueue(struct task *task)
{
    struct task **place = &due;
    while (*place != NULL && (*place)->place.priority <= task->place.priority)
        place = &(*place)->place.next;
    task->place.next = *place;
    *place = task;
}

/* A task is due in so many ticks. */
INLINE void tasks_release(struct task *task, uint32_t due_in)
{
    if (SELDOM(due_in == 0)) {
        category(SCHEDULING);
        enqueue(task);
        return;
    }
    struct task **place = &pending;
    while (*place != NULL && (*place)->place.after <= due_in) {
        due_in -= (*place)->place.after;
        place = &(*place)->place.next;
    }
    if (*place != NULL)
        (*place)->place.after -= due_in;
    task->place.after = due_in;
    task->place.next = *place;
    *place = task;
}

/* A task is not due any more: it is in no queue already. */
INLINE void tasks_retire(struct task *task)
{
    (void)task;
}

INLINE void tasks_advance(uint32_t passed)
{
    struct task *task;
    while ((task = pending) != NULL && task->place.after <= passed) {
        passed -= task->place.after;
        pending = task->place.next;
        category(SCHEDULING);
        enqueue(task);
        category(CLOCK_TICKS);
    }
    if (task != NULL)
        task->place.after -= passed;
}

/* The most urgent task that is due, which is not due any more, or NULL. */
INLINE struct task *tasks_take_first(void)
{
    struct task *task = due;
    if (task != NULL)
        due = task->place.next;
    return task;
}
