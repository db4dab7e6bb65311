/* Memory that two processes share: one writes, one only reads. */

#include "say.h"
#include <identifiers.h>

void writer(void);
void reader(void);

/* Attaches the region, writes a word at 2 ms, gives it up at 6 ms. */
void writer(void)
{
    void *memory = NULL;
    size_t length = 0;
    say("writer attaches it", shm_attach(REGION_RING, GIO_READ_WRITE, &memory, &length));
    volatile uint32_t *words = memory;
    say_number("bytes", length);
    say_number("it begins with", words[0]);
    say("writer attaches it again", shm_attach(REGION_RING, GIO_READ_WRITE, &memory, &length));
    say("what is no region", shm_attach(99, GIO_READ_WRITE, &memory, &length));
    say("in no way that there is", shm_attach(REGION_RING, 7, &memory, &length));
    sleep_until(2);
    words[0] = 1793;
    words[length / 4 - 1] = 1971;
    sleep_until(6);
    say("writer detaches it", shm_detach(REGION_RING));
    say("writer detaches it again", shm_detach(REGION_RING));
    sleep_until(10);
    say("writer attaches it anew", shm_attach(REGION_RING, GIO_READ_WRITE, &memory, &length));
    say_number("nobody had it: it begins with", *(volatile uint32_t *)memory);
    say("writer detaches it", shm_detach(REGION_RING));
}

/* Reads it at 4 ms, and when the writer is gone; then writes what it may not. */
void reader(void)
{
    void *memory = NULL;
    size_t length = 0;
    sleep_until(4);
    say("reader attaches it to write", shm_attach(REGION_RING, GIO_READ_WRITE, &memory, &length));
    say("reader attaches it", shm_attach(REGION_RING, GIO_READ_ONLY, &memory, &length));
    volatile uint32_t *words = memory;
    say_number("reader finds", words[0]);
    sleep_until(8);
    say_number("it is still", words[length / 4 - 1]);
    words[0] = 0;
    gio_log("outlived");
}
