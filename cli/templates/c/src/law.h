/* What the controller decides: a pure function, which tests call on the host. */
#ifndef LAW_H
#define LAW_H

#include <stdint.h>

/* The level to keep, mm. */
enum { WANTED = 1000 };

/* From the level, mm, to the opening of the valve, permille. */
int32_t opening_for(int32_t level);

#endif
