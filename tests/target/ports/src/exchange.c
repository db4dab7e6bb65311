/* What a driver in C does with its ports. */

#include <stdint.h>

void exchange_in_c(const uint32_t *a, const uint32_t *b, uint32_t *x, uint32_t *y);

void exchange_in_c(const uint32_t *a, const uint32_t *b, uint32_t *x, uint32_t *y)
{
    *x = *b;
    *y = *a;
}
