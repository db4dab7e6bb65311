/* One line for an answer that is as promised. */
#ifndef SHOW_H
#define SHOW_H

#include <giornata.h>

/* Logs the text; if the answer is another, its name in the stead. */
static inline void show(int answer, int promised, const char *text)
{
    gio_log(answer == promised ? text : gio_error_name(answer));
}

#endif
