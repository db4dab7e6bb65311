// A thread that computes for ever keeps the one from going on that has made it: both are told by
// the names that they gave themselves.
#include <pthread.h>

static void *compute(void *nothing)
{
    for (volatile int i = 0;; i++)
        ;
    return nothing;
}

int main(void)
{
    struct sched_param middle = { .sched_priority = 40 };
    pthread_attr_t how;
    pthread_attr_init(&how);
    pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&how, SCHED_FIFO);
    pthread_attr_setschedparam(&how, &middle);
    pthread_t other;
    if (pthread_create(&other, &how, compute, 0) != 0)
        return 1;
    pthread_setname_np(pthread_self(), "conductor");
    pthread_setname_np(other, "soloist");
    pthread_setschedprio(pthread_self(), 20);
    return 2;
}
