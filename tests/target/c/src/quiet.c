/* A source that logs warnings and errors only. */

#define GIO_LOG_LEVEL GIO_LOG_WARNING
#include <giornata.h>

void whisper(void);

static int noise(void)
{
    gio_log("this is not evaluated");
    return 0;
}

void whisper(void)
{
    gio_log_error("heard %d", 1);
    gio_log_warning("heard %d", 2);
    gio_log_info("not heard %d", noise());
    gio_log_debug("not heard %d", noise());
}
