#include "pump.h"

static bool switched(struct pump *pump)
{
    bool before = pump->runs;
    pump->runs = pump->wanted && pump->safe;
    return pump->runs != before;
}

bool pump_on_water(struct pump *pump, enum water_event event)
{
    if (event != NO_EVENT)
        pump->wanted = event == WATER_IS_HIGH;
    return switched(pump);
}

bool pump_on_methane(struct pump *pump, int methane)
{
    pump->safe = methane <= MOST_METHANE;
    return switched(pump);
}

bool pump_on_silence(struct pump *pump)
{
    pump->safe = false;
    return switched(pump);
}
