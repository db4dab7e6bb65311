#include "device.h"

/* What flows in during a tenth of a second through the open valve, and out, mm. */
enum { INFLOW = 40, OUTFLOW = 10 };

static int32_t level;
static int32_t valve;

int32_t read_level(void)
{
    level += INFLOW * valve / 1000 - OUTFLOW;
    if (level < 0)
        level = 0;
    return level;
}

void move_valve(int32_t opening)
{
    valve = opening;
}
