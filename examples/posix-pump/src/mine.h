/* The mine, simulated: water that comes in and is pumped out, and gas. */
#ifndef MINE_H
#define MINE_H

#include <stdbool.h>

enum {
    STEPS = 40,
    /* Levels of water in cm at which the sensors tell. */
    LOW_WATER = 40,
    HIGH_WATER = 100,
};

struct mine {
    int step;
    /* cm */
    int water;
    /* In 1,000 parts of air. */
    int methane;
    /* In 1,000,000 parts of air. */
    int carbon_monoxide;
    /* The sensor for methane does not answer. */
    bool sticks;
};

enum water_event { NO_EVENT, WATER_IS_HIGH, WATER_IS_LOW };

/* A step of the mine, in which the pump has run or not. Returns what the water sensors tell. */
enum water_event mine_step(struct mine *mine, bool pump_runs);

#endif
