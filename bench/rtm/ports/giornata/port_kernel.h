/* The experiment as a process of Giornata: the semaphores of channels are private ones, which are
 * taken and given without a call while nobody waits; the interrupt of arrivals is awaited by a
 * thread in user mode, which posts to the most urgent one. */
#ifndef PORT_KERNEL_H
#define PORT_KERNEL_H

typedef struct gio_private_semaphore port_semaphore;

/* The kernel's objects behind semaphores, in the order in which these are created. */
extern const gio_id port_slots[];
/* What the task that answers waits for: not private, because it always waits. */
extern const gio_id port_arrived;

void port_semaphore_create(port_semaphore *semaphore, uint16_t count);

static inline void port_pend(port_semaphore *semaphore)
{
    MARK(MARK_IPC);
    gio_private_semaphore_lock(semaphore);
    MARK(MARK_IPC_END);
}

static inline void port_post(port_semaphore *semaphore)
{
    MARK(MARK_IPC);
    gio_private_semaphore_unlock(semaphore);
    MARK(MARK_IPC_END);
}

#endif
