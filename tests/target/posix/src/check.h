/* What has to hold: the transcript tells what does not, and how much did. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int held;

#define CHECK(what)                                               \
    do {                                                          \
        if (what)                                                 \
            held++;                                               \
        else                                                      \
            printf("line %d does not hold: %s\n", __LINE__, #what); \
    } while (0)

/* "UNIT: 12 hold" */
static inline void tell(const char *unit)
{
    printf("%s: %d hold\n", unit, held);
    held = 0;
}

#endif
