/* What the kernel asks of the tasks, in software. Interrupts are off. */

static struct priorities ready;
static struct task *of_priority[TASKS];
/* All tasks, for the ticks. */
static struct task *all;

/* The lowest bit of a byte that is set. */
static uint8_t lowest[256];

INLINE void add(struct priorities *set, struct level level)
{
    set->rows |= level.row_bit;
    set->in_row[level.row] |= level.bit;
}

INLINE void withdraw(struct priorities *set, struct level level)
{
    set->in_row[level.row] &= (uint8_t)~level.bit;
    if (set->in_row[level.row] == 0)
        set->rows &= (uint8_t)~level.row_bit;
}

/* The most urgent one's task; there is one. */
INLINE struct task *first_of(const struct priorities *set)
{
    uint32_t row = lowest[set->rows];
    return of_priority[row * 8 + lowest[set->in_row[row]]];
}

static void tasks_init(void)
{
    for (unsigned byte = 1; byte < 256; byte++)
        lowest[byte] = byte & 1 ? 0 : (uint8_t)(lowest[byte / 2] + 1);
}

static void tasks_add(struct task *task, uint8_t priority)
{
    uint8_t row = priority / 8;
    task->place = (struct place){
        .level = {priority, row, (uint8_t)(1 << row), (uint8_t)(1 << priority % 8)},
        .next = all,
    };
    of_priority[priority] = task;
    all = task;
    add(&ready, task->place.level);
}

/* The most urgent task that is ready. */
INLINE struct task *tasks_first(void)
{
    return first_of(&ready);
}

/* The most urgent ready task but this one. */
INLINE struct task *tasks_next(struct task *task)
{
    withdraw(&ready, task->place.level);
    struct task *next = first_of(&ready);
    add(&ready, task->place.level);
    return next;
}

/* Two ready tasks exchange their priorities. */
INLINE void tasks_exchange(struct task *one, struct task *other)
{
    struct level level = one->place.level;
    one->place.level = other->place.level;
    other->place.level = level;
    of_priority[one->place.level.priority] = one;
    of_priority[level.priority] = other;
}

INLINE void tasks_delay(struct task *task, uint16_t count)
{
    withdraw(&ready, task->place.level);
    task->place.delay = count;
}

INLINE void tasks_suspend(struct task *task)
{
    task->place.suspended = true;
    withdraw(&ready, task->place.level);
}

INLINE void tasks_resume(struct task *task)
{
    task->place.suspended = false;
    if (task->place.delay == 0 && task->place.waits_for == NULL)
        add(&ready, task->place.level);
}

INLINE void waiters_init(struct waiters *waiters)
{
    waiters->priorities = (struct priorities){0};
}

/* A ready task waits: so many ticks at most, or for ever if 0. */
INLINE void tasks_wait(struct task *task, struct waiters *waiters, uint16_t timeout)
{
    task->place.timed_out = false;
    task->place.delay = timeout;
    task->place.waits_for = waiters;
    withdraw(&ready, task->place.level);
    add(&waiters->priorities, task->place.level);
}

/* A task waits no longer. */
INLINE void end_wait(struct task *task)
{
    withdraw(&task->place.waits_for->priorities, task->place.level);
    task->place.waits_for = NULL;
    task->place.delay = 0;
    if (!task->place.suspended)
        add(&ready, task->place.level);
}

/* The most urgent task that waits is released; whether there was one. */
INLINE bool tasks_release(struct waiters *waiters)
{
    if (waiters->priorities.rows == 0)
        return false;
    end_wait(first_of(&waiters->priorities));
    return true;
}

/* Whether the last wait of a task ended by its time. */
INLINE bool tasks_has_timed_out(const struct task *task)
{
    return task->place.timed_out;
}

INLINE void tasks_tick(void)
{
    for (struct task *task = all; task != NULL; task = task->place.next) {
        if (task->place.delay == 0 || --task->place.delay > 0)
            continue;
        if (task->place.waits_for != NULL) {
            task->place.timed_out = true;
            end_wait(task);
        } else if (!task->place.suspended) {
            add(&ready, task->place.level);
        }
    }
}
