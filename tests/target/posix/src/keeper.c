/* Has a region for as long as the machine runs. */

#include <giornata.h>
#include <identifiers.h>

void keep(void);

void keep(void)
{
    void *memory;
    size_t length;
    if (shm_attach(REGION_PROGRESS, GIO_READ_WRITE, &memory, &length) != GIO_DONE)
        gio_log("the region is not there");
    for (;;)
        gio_sleep_until(gio_clock() + 1000 * GIO_SECOND);
}
