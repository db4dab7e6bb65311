/* The tank, instead of a real one: what the driver reads and writes. On a machine with a
 * level sensor and a valve these two reach their registers (map_device()). */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

/* The level, mm, a tenth of a second after it was asked for last. */
int32_t read_level(void);

/* Opens the valve so far, permille. */
void move_valve(int32_t opening);

#endif
