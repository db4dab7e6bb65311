/* Reads a shared region, then writes it without the right to. */

#include "show.h"
#include <identifiers.h>

void view(void);

void view(void)
{
    void *memory = NULL;
    size_t length = 0;
    show(shm_attach(REGION_BOARD, GIO_READ_WRITE, &memory, &length), GIO_EPERM,
         "to write it: EPERM");
    if (shm_attach(REGION_BOARD, GIO_READ_ONLY, &memory, &length))
        return gio_log("no region");
    gio_log(memory);
    *(volatile char *)memory = '?';
    gio_log("outlived");
}
