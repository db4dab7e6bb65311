/* The experiment on the preemptive kernel: semaphores are the kernel's, and the most urgent task
 * is that of aperiodic arrivals, which the handler of their interrupt posts to. */
#ifndef PORT_KERNEL_H
#define PORT_KERNEL_H

typedef struct event port_semaphore;

static inline void port_semaphore_create(port_semaphore *semaphore, uint16_t count)
{
    semaphore_create(semaphore, count);
}

static inline void port_pend(port_semaphore *semaphore)
{
    semaphore_pend(semaphore, 0);
}

static inline void port_post(port_semaphore *semaphore)
{
    semaphore_post(semaphore);
}

#endif
