/* How time passes: the task manager counts ticks, and interrupts only if the first task is
 * another than the kernel was told last. Interrupts are off. */

#define TASK_MANAGER_LINE 4u

/* The cycle from which ticks are counted. */
static uint32_t started;

INLINE void time_start(void)
{
    rtm_write_tick(TASK_MANAGER, CYCLES_PER_TICK);
    started = TIME;
    rtm_write_enable(TASK_MANAGER, RTM_CAUSE_TOP);
    lines_select(TASK_MANAGER_LINE);
    interrupts_enable(ENABLE_EXTERNAL);
}

INLINE uint32_t time_now(void)
{
    return (TIME - started) / CYCLES_PER_TICK;
}

/* Whether an interrupt is that of time alone: others have to be answered first, and who is the
 * first task is asked after those as well. */
INLINE bool time_is_cause(uint32_t cause)
{
    (void)cause;
    return lines_high() == TASK_MANAGER_LINE;
}

/* The interrupt ends when the kernel asks which task is the first. One comes for nothing after a
 * yield to nobody, and for each task released while the scheduler is locked. */
INLINE void time_advance(void)
{
    category(TIMER_INTERRUPT);
    rtm_write_cause(TASK_MANAGER, RTM_CAUSE_DELAY);
    tasks_look_at_delays();
}

/* A delay that limits a wait leaves the first task as it is when it runs out. */
INLINE void time_watch_delays(bool are_watched)
{
    rtm_write_cause(TASK_MANAGER, RTM_CAUSE_DELAY);
    rtm_write_enable(TASK_MANAGER, RTM_CAUSE_TOP | (are_watched ? RTM_CAUSE_DELAY : 0));
}
