#include "table.h"

int standard_of_c(void)
{
    return __STDC_VERSION__ == 201112L;
}
