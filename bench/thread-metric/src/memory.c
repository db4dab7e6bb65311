/* The load with memory: a block of 128 bytes is allocated and freed, from the heap of the
 * process by the C library, which keeps it without the kernel. */

#include <stdlib.h>

#include "../../kernel/marks/mark.h"

/* `thread_metric` in bench/kernel/marks. */
enum { MEMORY = 192 };

/* As in the loads in Rust. */
#define ROUNDS 240

int main(void)
{
    /* (the compiler may leave out a block that nobody looks at) */
    void *volatile block;
    unsigned count = 0;
    for (int i = 0; i < ROUNDS; i++) {
        MARK(MEMORY);
        block = malloc(128);
        if (block == NULL)
            return 1;
        free(block);
        count++;
    }
    MARK(MEMORY);
    return count != ROUNDS;
}
