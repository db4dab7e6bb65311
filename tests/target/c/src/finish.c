/* The thread that stops the machine when a case is over. */

#include "say.h"

void finish(void);

void finish(void)
{
    sleep_until(50);
    say("with status 256", gio_shutdown(256));
    say("refused", gio_shutdown(0));
}
