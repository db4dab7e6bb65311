/* How time passes: by a timer's interrupt each tick. Interrupts are off. */

static uint32_t ticks;

INLINE void time_start(void)
{
    ALARM_HIGH = 0;
    ALARM = TIME + CYCLES_PER_TICK;
    interrupts_enable(ENABLE_TIMER);
}

INLINE uint32_t time_now(void)
{
    return *(volatile uint32_t *)&ticks;
}

/* Whether an interrupt is that of time. */
INLINE bool time_is_cause(uint32_t cause)
{
    return cause == CAUSE_TIMER;
}

INLINE void time_advance(void)
{
    ALARM += CYCLES_PER_TICK;
    ticks++;
    category(CLOCK_TICKS);
    tasks_tick();
}

/* Each tick looks at delays. */
INLINE void time_watch_delays(bool are_watched)
{
    (void)are_watched;
}
