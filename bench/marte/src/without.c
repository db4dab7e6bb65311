/* Two threads of one priority that give way to each other, and use nothing that only kernels
 * with the services of POSIX have. */

#include <pthread.h>
#include <sched.h>

#include "marks.h"

static void *fifo(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        MARK(YIELD);
        sched_yield();
        MARK(YIELD + 1);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    int errors = 0;
    for (int i = 0; i < 2; i++)
        errors |= pthread_create(&threads[i], NULL, fifo, NULL);
    for (int i = 0; i < 2; i++)
        errors |= pthread_join(threads[i], NULL);
    return errors != 0;
}
