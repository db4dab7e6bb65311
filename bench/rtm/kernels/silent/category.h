/* Time is not told apart: for measurements of single calls. */
#ifndef CATEGORY_H
#define CATEGORY_H

#include "categories.h"

INLINE void category(enum category now)
{
    (void)now;
}

#endif
