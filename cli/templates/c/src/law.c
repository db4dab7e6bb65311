#include "law.h"

/* By how many permille the valve opens for each mm that is missing. */
enum { GAIN = 4 };

int32_t opening_for(int32_t level)
{
    int32_t opening = (WANTED - level) * GAIN;
    if (opening < 0)
        return 0;
    return opening > 1000 ? 1000 : opening;
}
