/* The controller: waits for a level and answers how far the valve is to open. */

#include <giornata.h>
#include <identifiers.h> /* MAILBOX_LEVEL, and all else that system.toml names */

#include "law.h"

void pump(void);

void pump(void)
{
    int was_open = 0;
    for (;;) {
        uint32_t message[4];
        if (msg_receive_words(MAILBOX_LEVEL, GIO_NEVER, message, NULL))
            continue;
        int32_t opening = opening_for((int32_t)message[0]);
        if (was_open != (opening == 1000)) {
            was_open = opening == 1000;
            gio_log(was_open ? "the valve is wide open" : "the tank is nearly full");
        }
        msg_send_words(MAILBOX_VALVE, 0, (uint32_t[4]){ (uint32_t)opening });
    }
}
