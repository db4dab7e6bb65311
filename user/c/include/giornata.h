/* The services of Giornata for processes in C.
 *
 * A process has C sources if its section of the system file says so:
 *
 *     [process.pump]
 *     c = ["src/pump.c"]                  # with `crate`: both, in one process
 *     threads = { pump = { priority = 20 } }
 *
 * and its thread is a function of that name: `void pump(void)`. It begins when the
 * process does and ends when the function returns. The constants of what the system
 * file names, MUTEX_BUS, MAILBOX_ORDERS, are in <identifiers.h>, which the builder
 * writes.
 *
 * Names. The calls of EMERALDS (Zuberi and Shin; Tables 1, 2, 3 and 5, sections 4, 6
 * and 7) are called as in the paper, and a further form of one by what it adds:
 * sem_lock(), sem_lock_until(). All else begins with gio_ or GIO_, types too.
 *
 * Results. A call returns 0, or why it is refused: see GIO_ERRORS. Other results are
 * stored where a pointer says, if there was no error; a pointer to what is not
 * wanted may be NULL.
 *
 * Callers. Threads make these calls; most return GIO_EPERM if a task or an upcall
 * of a mixed process makes them. A call is one entry into the kernel, but for those on
 * private objects, which make none as long as nobody waits.
 *
 * Costs are stated as O(...). Nothing blocks unless it says so. A wait ends at an
 * instant at the latest if the call takes one: GIO_NEVER is for ever, and with
 * GIO_AT_ONCE it does not wait at all.
 */
#ifndef GIORNATA_H
#define GIORNATA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define GIO_NORETURN [[noreturn]]
#else
#define GIO_NORETURN _Noreturn
#endif

/* Why a call is refused: X(name, number). */
#define GIO_ERRORS(X) \
    X(GIO_EPERM, 1)       /* the caller has no right to this object or operation */ \
    X(GIO_ESRCH, 2)       /* no such object: the id names nothing, or what has gone */ \
    X(GIO_EFAULT, 3)      /* an address is not in the process's memory */ \
    X(GIO_EINVAL, 4)      /* an argument is out of its range */ \
    X(GIO_ENOSYS, 5)      /* the kernel's configuration does not have this call */ \
    X(GIO_EBUSY, 6)       /* the object is in use */ \
    X(GIO_EAGAIN, 7)      /* what the process may have of it is used up */ \
    X(GIO_EDEADLK, 8)     /* waiting would close a cycle of threads that wait */ \
    X(GIO_ETIMEDOUT, 9)   /* the instant has come */ \
    X(GIO_EOWNERDEAD, 10) /* the caller has the mutex; its owner before has ended */ \
    X(GIO_EIDRM, 11)      /* the object was deleted while the caller waited */ \
    X(GIO_EEXIST, 12)     /* the object exists already */ \
    X(GIO_EOVERFLOW, 13)  /* a count would leave its range */ \
    X(GIO_EMSGSIZE, 14)   /* a message is longer than the room for it */ \
    X(GIO_ENOMEM, 15)     /* the process has no memory left of what it may have */ \
    X(GIO_EINTR, 16)      /* a signal ended the wait */

enum gio_error {
    GIO_DONE = 0,
#define GIO_ERROR(name, number) name = number,
    GIO_ERRORS(GIO_ERROR)
#undef GIO_ERROR
};

/* The name of what a call returned, for messages: "GIO_EBUSY". No call. */
static inline const char *gio_error_name(int answer)
{
    switch (answer) {
    case GIO_DONE: return "GIO_DONE";
#define GIO_ERROR(name, number) case number: return #name;
    GIO_ERRORS(GIO_ERROR)
#undef GIO_ERROR
    default: return "unknown";
    }
}

/* A thread, object or process: a constant of <identifiers.h>, or what a call that
 * creates one returns. An id names one tenant of a slot: when that is gone, it names
 * nothing, even if another is there. */
typedef uint64_t gio_id;

/* A time in ns: an instant, since the system started, or a duration. */
typedef uint64_t gio_time;

#define GIO_AT_ONCE ((gio_time)0)
#define GIO_NEVER UINT64_MAX
#define GIO_MICROSECOND ((gio_time)1000)
#define GIO_MILLISECOND ((gio_time)1000000)
#define GIO_SECOND ((gio_time)1000000000)


/* ---- Threads (EMERALDS 4) ---------------------------------------------------- */

/* What a created thread does: gets its argument, ends with a value. */
typedef void *gio_body(void *argument);

/* Starts a thread of this process at a fixed priority, 255 being the most urgent, in
 * one of the `spare-threads` of its section. It begins when it is the most urgent,
 * maybe before this returns. O(1).
 *
 * GIO_EAGAIN: all places are taken. GIO_EPERM: the priority is above the process's
 * `max-priority`, or the deadline band's. GIO_EINVAL: it is above 255. */
int create_thread(gio_body *body, void *argument, unsigned priority, gio_id *thread);

/* Waits for a created thread of this process to end, frees its place, and returns what
 * it ended with. Blocks. O(1).
 *
 * GIO_ESRCH: there is no such thread. GIO_EINVAL: it was not created, or is detached,
 * or another thread waits for it. GIO_EDEADLK: it is the caller. */
int join_thread(gio_id thread, void **value);

/* The same up to an instant: GIO_ETIMEDOUT; with GIO_AT_ONCE, GIO_EBUSY. */
int join_thread_until(gio_id thread, gio_time until, void **value);

/* Says that nobody will join a created thread: its place is free when it ends. O(1).
 * Errors as of join_thread(). */
int detach_thread(gio_id thread);

/* Ends the calling thread, with a value for the thread that joins it. Its mutexes go to
 * those that wait for them (GIO_EOWNERDEAD). */
GIO_NORETURN void gio_exit(void *value);

/* Gives the hart to the next thread of equal urgency. O(1). */
void gio_yield(void);

/* The caller's id. O(1). */
int gio_own(gio_id *thread);

/* Gives a thread of this process another fixed priority. O(what it has).
 *
 * GIO_ESRCH: no such thread. GIO_EPERM: it is another process's, or the priority is
 * above `max-priority`, or the deadline band's. GIO_EINVAL: it has no fixed priority,
 * or there is none above 255. */
int gio_set_priority(gio_id thread, unsigned priority);

/* The execution time of the calling thread so far. O(1). */
int gio_cpu_time(gio_time *spent);

/* Bytes of the calling thread's stack, and how many of them have been used at most, so far:
 * down to the lowest word that is not 0. Of a place for created threads, by all that had it.
 * O(bytes that are not used). */
int gio_stack(size_t *bytes, size_t *used);


/* ---- Processes (EMERALDS 4) -------------------------------------------------- */

/* Starts a process that this one supervises, from its image; it is restored as
 * urgently as the caller, in pieces.
 *
 * GIO_EEXIST: it lives. GIO_EBUSY: it is being torn down or restored. GIO_EPERM: this
 * process does not supervise it. GIO_ESRCH: there is none. */
int create_proc(gio_id process);

/* Ends a process that this one supervises, as a fault would: its `on-fault` says what
 * comes then. It is torn down as urgently as the caller.
 *
 * GIO_ESRCH: it does not live. GIO_EPERM: this process does not supervise it. */
int gio_kill_proc(gio_id process);

/* What became of a process. */
struct gio_end {
    gio_id process;
    uint32_t generation; /* how often it has begun anew so far */
    uint32_t cause;      /* why it ended, as in the trace */
    uint32_t restarted;  /* 1: it lives again */
};

/* Waits up to an instant for the next process that ended, of those that this one
 * supervises; what came before the call counts. Blocks. O(processes).
 *
 * GIO_ETIMEDOUT; with GIO_AT_ONCE, GIO_EAGAIN. GIO_EBUSY: another thread waits.
 * GIO_EPERM: this process supervises none. */
int gio_await_proc(gio_time until, struct gio_end *end);


/* ---- Semaphores (EMERALDS 7.1) ----------------------------------------------- */

/* A semaphore is a `[mutex.NAME]`, which has an owner that inherits the urgency of its
 * waiters, or a `[semaphore.NAME]`, which counts and has no owner. */

/* Creates the semaphore of a slot, a constant of <identifiers.h>, and returns its
 * id. O(1).
 *
 * GIO_EEXIST: it is there. GIO_EPERM: this process may not `manage` it. GIO_ESRCH: no
 * such slot. */
int sem_create(gio_id slot, gio_id *semaphore);

/* Deletes a semaphore: threads that wait for it get GIO_EIDRM, and its owner has it
 * no more. O(threads that wait), in pieces.
 *
 * GIO_EPERM: this process may not `manage` it. GIO_ESRCH: it has ended. */
int sem_delete(gio_id semaphore);

/* Takes a semaphore, or one of its count. Blocks while there is none. Of those that
 * wait, the most urgent gets the next one. O(1), or O(what its owner has) for each
 * owner in the chain.
 *
 * GIO_EOWNERDEAD: the caller has the mutex; its owner before ended without giving it
 * back. GIO_EDEADLK: the caller has it, or its owner waits for the caller.
 * GIO_EINVAL: it is no semaphore, or the caller is above the mutex's ceiling.
 * GIO_EAGAIN: the caller has 64 mutexes with ceilings. GIO_EIDRM: it was deleted
 * meanwhile. GIO_ESRCH: it has ended. GIO_EPERM: this process may not use it. */
int sem_lock(gio_id semaphore);

/* The same without a wait: GIO_EBUSY. */
int sem_trylock(gio_id semaphore);

/* The same up to an instant: GIO_ETIMEDOUT; with GIO_AT_ONCE, GIO_EBUSY. What is free
 * is taken however late it is. */
int sem_lock_until(gio_id semaphore, gio_time until);

/* A hint before a wait for something: which mutex the thread takes then. If another has
 * it when what was waited for comes, the thread goes on once it has the mutex and not
 * before, which saves two switches:
 *
 *     gio_tell_next_lock(MUTEX_BUS);
 *     result = msg_receive(MAILBOX_ORDERS, &order, sizeof order, NULL);
 *     taken = sem_lock_told(MUTEX_BUS);
 *
 * It counts for every wait up to sem_lock_told(), which comes next whatever the wait
 * returned. For a semaphore that counts, a mutex that is private or that the process
 * may not use, and a ceiling mutex that is free, the hint has no effect. No call,
 * O(1). */
void gio_tell_next_lock(gio_id mutex);

/* As sem_lock(), of the mutex of that hint: no call if the thread went on with it.
 * sem_lock() instead of it then returns GIO_EDEADLK. */
int sem_lock_told(gio_id mutex);

/* Gives a semaphore back, or one to its count: to the most urgent that waits.
 * O(what the caller has).
 *
 * GIO_EPERM: the mutex is not the caller's, or this process may not use it.
 * GIO_EOVERFLOW: the count is at its highest. GIO_ESRCH: it has ended. GIO_EINVAL: it
 * is no semaphore. */
int sem_unlock(gio_id semaphore);


/* ---- Condition variables (EMERALDS 7.2) -------------------------------------- */

/* As sem_create() and sem_delete(), of a `[condition.NAME]`. */
int cv_create(gio_id slot, gio_id *condition);
int cv_delete(gio_id condition);

/* Gives a mutex back and waits for a signal, in one step; the caller has the mutex
 * again when it returns, also with GIO_EOWNERDEAD, but after no other error. Another
 * thread may have had it meanwhile: ask again for what was waited for. Blocks.
 * O(what the caller has and threads that wait), and what the mutex costs.
 *
 * GIO_EPERM: the mutex is not the caller's, or this process may not use the condition.
 * GIO_EIDRM: one of them was deleted meanwhile. GIO_ESRCH: one has ended. GIO_EINVAL:
 * one is of another kind. */
int cv_wait(gio_id condition, gio_id mutex);

/* The same up to an instant, and then for the mutex: GIO_ETIMEDOUT, and the caller has
 * it too. */
int cv_wait_until(gio_id condition, gio_id mutex, gio_time until);

/* The most urgent thread that waits goes on when it has its mutex; a signal that
 * nobody waits for is lost. O(1), and what the mutex costs.
 *
 * GIO_ESRCH: the condition has ended. GIO_EPERM: this process may not use it.
 * GIO_EINVAL: it is no condition. */
int cv_signal(gio_id condition);

/* As many signals as threads wait. O(threads that wait), in pieces. */
int cv_broadcast(gio_id condition);


/* ---- Private mutexes and semaphores ------------------------------------------ */

/* Objects that are `private` in the system file are of one process, and are taken and
 * given without a call as long as nobody waits. One variable is the object, for all
 * threads of the process, also those in Rust (`PrivateMutex`, `PrivateSemaphore`):
 *
 *     struct gio_private_mutex bus = GIO_PRIVATE_MUTEX(MUTEX_BUS);
 *
 * Nobody else writes its fields. Errors as of sem_lock() and sem_unlock(). */
struct gio_private_mutex {
    gio_id slot;
    volatile uint32_t word;
};

/* Its initial count, up to 32767, is said here. */
struct gio_private_semaphore {
    gio_id slot;
    volatile uint32_t word;
};

#define GIO_PRIVATE_MUTEX(slot) { (slot), 0 }
#define GIO_PRIVATE_SEMAPHORE(slot, count) { (slot), (count) }

/* Block as sem_lock(), sem_trylock() and sem_lock_until() do. O(1) if it is free. */
int gio_private_mutex_lock(struct gio_private_mutex *mutex);
int gio_private_mutex_trylock(struct gio_private_mutex *mutex);
int gio_private_mutex_lock_until(struct gio_private_mutex *mutex, gio_time until);

/* O(1) if nobody waits. */
int gio_private_mutex_unlock(struct gio_private_mutex *mutex);

/* As cv_wait_until(), with a private mutex. Blocks. */
int cv_wait_private(gio_id condition, struct gio_private_mutex *mutex, gio_time until);

/* Block as sem_lock(), sem_trylock() and sem_lock_until() do. O(1) if there is one. */
int gio_private_semaphore_lock(struct gio_private_semaphore *semaphore);
int gio_private_semaphore_trylock(struct gio_private_semaphore *semaphore);
int gio_private_semaphore_lock_until(struct gio_private_semaphore *semaphore, gio_time until);

/* O(1) if nobody waits. The first makes a call, which learns the limit. */
int gio_private_semaphore_unlock(struct gio_private_semaphore *semaphore);


/* ---- Messages (EMERALDS 6.1) ------------------------------------------------- */

/* Messages with a higher priority come first, of equal ones the oldest. Priorities go up
 * to 255: GIO_EINVAL. */

/* Creates the mailbox of a slot and returns its id. What is sent to it goes to the
 * mailbox `server`, or with GIO_NO_SERVER to the one that the system file names. O(1).
 *
 * GIO_EEXIST: it is there. GIO_EPERM: this process may not `manage` it, or has no right
 * to the server. GIO_ESRCH: no such slot, or server. GIO_EINVAL: one of them is no
 * mailbox. */
int mbox_create(gio_id slot, gio_id server, gio_id *mailbox);

#define GIO_NO_SERVER UINT32_MAX

/* As sem_delete(); messages in it are gone, and the places for them free. */
int mbox_delete(gio_id mailbox);

/* Sends bytes: to the mailbox, or to the server that it is attached to, and a more
 * urgent thread that waits for them goes on at once. It takes one of the `messages` of
 * this process unless a thread waits. O(bytes, and messages that stand before it), in
 * pieces.
 *
 * GIO_EAGAIN: all messages are under way. GIO_EMSGSIZE: they are more than the
 * process's `message-size`. GIO_EFAULT: they do not lie in its memory. GIO_EPERM: it
 * may not send to this mailbox. GIO_ESRCH: there is none. GIO_EINVAL: it is no
 * mailbox. */
int msg_send(gio_id mailbox, uint32_t priority, const void *bytes, size_t length);

/* Sends 16 bytes, in registers. */
int msg_send_words(gio_id mailbox, uint32_t priority, const uint32_t words[4]);

/* Hands bytes for a mailbox of a node to a server of this one; a driver's mailbox
 * bypasses the servers. */
int msg_send_via(gio_id server, uint16_t node, gio_id mailbox, uint32_t priority,
                 const void *bytes, size_t length);

/* Sends past the server that the mailbox is attached to: how a server hands on what
 * came in. Needs the right "direct". */
int msg_send_direct(gio_id mailbox, uint32_t priority, const void *bytes, size_t length);

/* What a receiver learns of a message beside its bytes. */
struct gio_message {
    size_t length;     /* bytes */
    uint32_t priority;
    gio_id sender;     /* the thread that sent it */
    gio_id mailbox;    /* where it is to go; for servers, else 0 */
    uint16_t node;     /* and on which node, 0 = this one; for servers, else 0 */
    uint16_t incoming; /* 1: to a mailbox that is attached to the server */
};

/* Takes the first message into `bytes`, which has room for `room`. Blocks while there
 * is none. O(bytes), in pieces.
 *
 * GIO_EMSGSIZE: it is longer, and stays. GIO_EFAULT: the room does not lie in this
 * process's memory. GIO_EPERM: it may not receive from this mailbox. GIO_EIDRM: the
 * mailbox was deleted meanwhile. GIO_ESRCH: there is none. GIO_EINVAL: it is no
 * mailbox. */
int msg_receive(gio_id mailbox, void *bytes, size_t room, struct gio_message *message);

/* The same without a wait: GIO_EAGAIN. */
int try_msg_receive(gio_id mailbox, void *bytes, size_t room, struct gio_message *message);

/* The same up to an instant: GIO_ETIMEDOUT; with GIO_AT_ONCE, GIO_EAGAIN. */
int msg_receive_until(gio_id mailbox, gio_time until, void *bytes, size_t room,
                      struct gio_message *message);

/* Takes a message of 16 bytes at most, in registers, up to an instant. */
int msg_receive_words(gio_id mailbox, gio_time until, uint32_t words[4], uint32_t *priority);

/* Takes a message as a protocol server, with where it is to go. The calling thread is
 * the mailbox's server from then on (GIO_EBUSY: another is, or it is that of eight
 * mailboxes) and runs as urgently as the messages in the mailbox and the one in its hand,
 * which it has until it calls again. Needs the right "full". Blocks. */
int msg_receive_full(gio_id mailbox, void *bytes, size_t room, struct gio_message *message);


/* ---- Requests ---------------------------------------------------------------- */

/* A client sends a request and waits for its reply in one call. It keeps its place in
 * the order of urgency, and the server runs on it. */

/* What a server learns of a message. */
struct gio_request {
    uint32_t words[4];
    uint32_t priority;
    uint32_t client; /* waits for a reply; GIO_NOBODY: it was sent */
    uint32_t token;  /* of that reply */
};

#define GIO_NOBODY 0xffffu

/* Sends 16 bytes and waits for as many. Blocks. O(1) if a server waits for a request.
 *
 * GIO_EDEADLK: the server waits for the caller. GIO_EIDRM: the mailbox was deleted, or
 * its server ended with the request in its hand. GIO_EINVAL: the priority is above 255,
 * or it is no mailbox. Others as of msg_send(). */
int gio_call(gio_id mailbox, uint32_t priority, const uint32_t words[4], uint32_t reply[4]);

/* Takes the first request or message of 16 bytes at most, up to an instant. Blocks.
 * Errors as of msg_receive_until(). */
int gio_receive_request(gio_id mailbox, gio_time until, struct gio_request *request);

/* Replies to the client of `request`, unless that is GIO_NOBODY or waits no more, and
 * takes the next one of the mailbox from which the caller received last into its place.
 * Blocks. O(1).
 *
 * GIO_EINVAL: the caller has received from none. Others as of msg_receive(). */
int gio_reply_receive(const uint32_t reply[4], struct gio_request *request);

/* Hands a request on to another mailbox; its client waits for the server of that from
 * now on, and the caller replies to GIO_NOBODY next. GIO_EINVAL: the client waits no
 * more. */
int gio_forward(gio_id mailbox, const struct gio_request *request);


/* ---- Shared memory (EMERALDS 6.2) -------------------------------------------- */

enum { GIO_READ_WRITE = 0, GIO_READ_ONLY = 1 };

/* Attaches a region of the system file, and returns where it lies, the same address in
 * all processes, and how long it is. It is all 0 if nobody had it. Others change it at
 * any time. O(1), and O(bytes) in short pieces if nobody had it.
 *
 * GIO_EEXIST: this process has it. GIO_EPERM: it may not attach it so. GIO_ESRCH: there
 * is none. GIO_EINVAL: `how`. */
int shm_attach(gio_id region, unsigned how, void **memory, size_t *length);

/* Detaches a region: an access to it then faults. What it held is gone when nobody has
 * it. O(1).
 *
 * GIO_EINVAL: this process does not have it. GIO_EPERM: it has no right to it.
 * GIO_ESRCH: there is none. */
int shm_detach(gio_id region);


/* ---- Devices and interrupts (EMERALDS 7.3) ----------------------------------- */

/* Where the registers of a device lie that the system file grants: by its place in
 * `grants.device`, from 0; NULL beyond the last. They are mapped when the process
 * begins; also as DEVICE_... of <identifiers.h>. No call. */
void *map_device(unsigned index);

/* Waits for an interrupt that the system file grants; one that came before the call
 * counts. The line is masked from the interrupt to the next call. Blocks. O(1).
 *
 * GIO_EPERM: this process is not granted it. GIO_EBUSY: another thread waits. */
int gio_await_interrupt(uint16_t interrupt);

/* A routine for an interrupt. */
struct gio_isr {
    uint16_t interrupt;
    void (*routine)(void *argument);
    void *argument;
};

/* Has a routine run at each interrupt from now on, by a thread of its own: one of the
 * process's `spare-threads`, at this priority. What `isr` points to stays as it is
 * while the thread lives. If the interrupt cannot be awaited, the thread ends, and
 * join_thread() returns the error as its value. O(1). Errors as of create_thread(). */
int set_isr(const struct gio_isr *isr, unsigned priority, gio_id *thread);


/* ---- Memory (EMERALDS 7.4) --------------------------------------------------- */

/* Takes bytes of the process's `heap`, zeroed, at a multiple of 16; the process has
 * them until it ends. NULL: so many are not left. O(1). */
void *mem_alloc(size_t bytes);


/* ---- Clock and timers (EMERALDS 7.5) ----------------------------------------- */

/* The clock, at the entry of the call; 0 where it may not be asked. O(1). */
gio_time gio_clock(void);

/* Blocks until an instant; returns at once if it has passed. O(log n) in threads that
 * sleep. */
int gio_sleep_until(gio_time until);

/* Blocks for a duration. A periodic thread should sleep until instants instead. */
int start_timer(gio_time delay);

/* A routine for a timer: returns how long after this instant it runs again, 0 = not. */
struct gio_timer {
    gio_time (*routine)(void *argument);
    void *argument;
    gio_time next; /* when it runs; start_timer_isr() sets it */
};

/* Has a routine run after a delay, and as often as it says, by a thread of its own:
 * one of the process's `spare-threads`, at this priority. It runs at the instants that
 * it asked for, however long it takes. What `timer` points to is the thread's while
 * that lives. O(1). Errors as of create_thread(). */
int start_timer_isr(struct gio_timer *timer, gio_time delay, unsigned priority, gio_id *thread);


/* ---- The system -------------------------------------------------------------- */

/* The id of the object that is in a slot now, whoever created it. O(1).
 * GIO_ESRCH: there is none. GIO_EPERM: this process has no right to it. */
int gio_open(gio_id slot, gio_id *object);

/* Does nothing, for measurements: null() of the paper. O(1). */
int gio_null(void);

/* Adds a text to the trace, which hosts show. A call for each 16 bytes. In a test on the
 * host it is written to the test's output. */
void gio_log(const char *text);

/* Most bytes of a formatted text; a longer one ends with "...". */
#define GIO_LOG_LONGEST 200

/* The same for a formatted text, as printf() formats it: %d %i %u %x %X %o %c %s %p %%,
 * sizes hh h l ll j z t, flags - 0 + # and space, width and precision. It takes half a
 * kilobyte of stack and no heap. There is no floating point: from another conversion on,
 * the format is written as it is. */
__attribute__((format(printf, 1, 2)))
void gio_logf(const char *format, ...);

/* The same with a list of arguments. */
__attribute__((format(printf, 1, 0)))
void gio_vlogf(const char *format, va_list list);

/* Formatted texts of four levels, as in gio_log_warning("level %d", level): the text
 * says which, "warning: level 7". Those above GIO_LOG_LEVEL, which a source may define
 * before it includes this, are checked by the compiler and cost nothing. */
#define GIO_LOG_NONE 0
#define GIO_LOG_ERROR 1
#define GIO_LOG_WARNING 2
#define GIO_LOG_INFO 3
#define GIO_LOG_DEBUG 4
#ifndef GIO_LOG_LEVEL
#define GIO_LOG_LEVEL GIO_LOG_DEBUG
#endif
#define gio_log_error(...) GIO_LOG_AT(GIO_LOG_ERROR, "error: " __VA_ARGS__)
#define gio_log_warning(...) GIO_LOG_AT(GIO_LOG_WARNING, "warning: " __VA_ARGS__)
#define gio_log_info(...) GIO_LOG_AT(GIO_LOG_INFO, "info: " __VA_ARGS__)
#define gio_log_debug(...) GIO_LOG_AT(GIO_LOG_DEBUG, "debug: " __VA_ARGS__)
#define GIO_LOG_AT(level, ...) ((level) <= GIO_LOG_LEVEL ? gio_logf(__VA_ARGS__) : (void)0)

/* Ends the process as a fault does, with a message for the host, which also says the
 * place and the chain of calls. `text` is a constant: the host reads it from the
 * executable. assert() of <assert.h> ends a process so, too. Does not return. */
#define gio_panic(text) gio_fail((text), __FILE__, __LINE__)

/* The same for a place that the caller names: constants, too. Does not return. */
GIO_NORETURN void gio_fail(const char *text, const char *file, int line);

#if !__STDC_HOSTED__ && !defined __cplusplus
/* The same as C has it: the host says from where it was called. */
static inline _Noreturn void abort(void)
{
    gio_fail("abort()", "", 0);
}
#endif

/* A port of a filter of a stream graph, as an instance of it finds it: tokens in a
 * circular buffer. What a filter calls is `void NAME(const gio_port *ports)`, with its
 * inputs first, then its outputs, each in the order of the graph's program. Filters make
 * the calls that tasks may. */
typedef struct {
    unsigned char *buffer;
    size_t capacity; /* tokens */
    size_t first;    /* where the first one lies */
    size_t count;    /* tokens that this instance takes or puts */
} gio_port;

/* The place of a token: of bytes `size` each, number `index` of those of the instance,
 * which is less than the port's `count`. O(1). */
static inline void *gio_token_at(const gio_port *port, size_t size, size_t index)
{
    size_t at = port->first + index;
    return port->buffer + (at < port->capacity ? at : at - port->capacity) * size;
}

/* The same as a pointer to a type: GIO_TAKE to a token of an input, which cannot be
 * changed, GIO_PUT to the place of one in an output. */
#define GIO_TAKE(type, port, index) \
    ((const type *)gio_token_at((port), sizeof(type), (index)))
#define GIO_PUT(type, port, index) ((type *)gio_token_at((port), sizeof(type), (index)))

/* Stops the machine with a status up to 255; returns if it is refused: GIO_EPERM:
 * this process has no `shutdown` grant. GIO_EINVAL: the status. */
int gio_shutdown(unsigned status);

#ifdef __cplusplus
}
#endif

#endif
