/* What the controller of the pump decides: no thread and no clock. */
#ifndef PUMP_H
#define PUMP_H

#include <stdbool.h>

#include "mine.h"

enum {
    /* More of it must not be near a motor. */
    MOST_METHANE = 10,
    MOST_CARBON_MONOXIDE = 50,
};

struct pump {
    /* The water has been high, and has not been low since. */
    bool wanted;
    /* As far as anybody knows there is no methane. */
    bool safe;
    bool runs;
};

/* Each returns whether the pump has been switched. */
bool pump_on_water(struct pump *pump, enum water_event event);
bool pump_on_methane(struct pump *pump, int methane);
/* Nobody knows how much methane there is. */
bool pump_on_silence(struct pump *pump);

#endif
