/* The experiment on the non-preemptive kernel, which needs no semaphores: a job is not
 * interrupted by another. Arrivals are polled for. */
#ifndef PORT_KERNEL_H
#define PORT_KERNEL_H

typedef struct {
    uint8_t unused;
} port_semaphore;

static inline void port_semaphore_create(port_semaphore *semaphore, uint16_t count)
{
    (void)semaphore;
    (void)count;
}

static inline void port_pend(port_semaphore *semaphore)
{
    (void)semaphore;
}

static inline void port_post(port_semaphore *semaphore)
{
    (void)semaphore;
}

#endif
