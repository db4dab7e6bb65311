/* The driver: a periodic thread, ten times a second at its own instants. */

#include <giornata.h>
#include <identifiers.h>

#include "device.h"

void tank(void);

void tank(void)
{
    for (gio_time next = gio_clock();; next += 100 * GIO_MILLISECOND) {
        uint32_t message[4] = { (uint32_t)read_level() };
        msg_send_words(MAILBOX_LEVEL, 0, message);
        if (msg_receive_words(MAILBOX_VALVE, next + 50 * GIO_MILLISECOND, message, NULL) == GIO_DONE)
            move_valve((int32_t)message[0]);
        else
            gio_log("the controller says nothing");
        gio_sleep_until(next + 100 * GIO_MILLISECOND);
    }
}
