#include "mine.h"

/* What comes in at each step, in cm; the pump takes out more. */
static int inflow(int step)
{
    return step < 12 ? 9 : step < 24 ? 4 : 7;
}

enum water_event mine_step(struct mine *mine, bool pump_runs)
{
    int before = mine->water;
    mine->step++;
    mine->water += inflow(mine->step) - (pump_runs ? 20 : 0);
    if (mine->water < 0)
        mine->water = 0;
    /* gas comes in bursts */
    mine->methane = mine->step >= 10 && mine->step < 12 ? 14 : 3 + mine->step % 3;
    mine->carbon_monoxide = mine->step == 26 ? 60 : 10 + mine->step % 5;
    mine->sticks = mine->step == 29;
    if (before < HIGH_WATER && mine->water >= HIGH_WATER)
        return WATER_IS_HIGH;
    if (before > LOW_WATER && mine->water <= LOW_WATER)
        return WATER_IS_LOW;
    return NO_EVENT;
}
