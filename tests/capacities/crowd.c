/* What one process can make of what it was given: each function uses as much as there is of
 * one capacity, and then what costs most with it, again and again. CROWD is how much that
 * is. The system files are written by tests/run/src/capacities.rs. */
#include <giornata.h>
#include <identifiers.h>

void wait_for_one(void);
void wait_in_order(void);
void broadcast(void);
void join(void);
void hang(void);
void sleep_apart(void);
void receive(void);
void receive_and_exit(void);
void queue(void);
void call(void);
void own(void);
void die_waiting(void);

#define CROWDED (450 * GIO_MILLISECOND)
#define LATER (1000000 * GIO_SECOND)
#define DEATH (600 * GIO_MILLISECOND)

static volatile unsigned count;
static gio_id ids[CROWD + 1];
static unsigned made;

/* The first tenant of the slot that is so far behind another. */
static inline gio_id behind(gio_id first, unsigned number)
{
    return first + number;
}

/* One more thread, of this priority. */
static int make(gio_body *body, void *argument, unsigned priority)
{
    int refused = create_thread(body, argument, priority, &ids[made]);
    if (refused == 0)
        made++;
    return refused;
}

static void fault(void)
{
    volatile int *volatile nowhere = (volatile int *)8;
    *nowhere = 1;
}

static void crowded(const char *what)
{
    gio_sleep_until(CROWDED);
    gio_logf("%u threads, %u %s", made, count, what);
}

static void *take(void *argument)
{
    count++;
    while (sem_lock(SEMAPHORE_CROWD) == 0)
        ;
    return argument;
}

/* Waiters of one semaphore, all as urgent. */
void wait_for_one(void)
{
    while (make(take, 0, 10) == 0)
        ;
    crowded("wait");
    for (;;)
        sem_lock_until(SEMAPHORE_CROWD, gio_clock() + 1000);
}

/* The same of 40 priorities, which change. */
void wait_in_order(void)
{
    while (make(take, 0, 1 + made % 40) == 0)
        ;
    crowded("wait");
    for (unsigned i = 0;; i++) {
        gio_set_priority(ids[i * 17 % made], 1 + i * 7 % 40);
        sem_unlock(SEMAPHORE_CROWD);
        sem_lock_until(SEMAPHORE_CROWD, gio_clock() + 1000);
    }
}

static void *await_news(void *argument)
{
    count++;
    sem_lock(MUTEX_ONE);
    for (;;)
        cv_wait(CONDITION_NEWS, MUTEX_ONE);
    return argument;
}

/* Waiters of one condition, which is broadcast. */
void broadcast(void)
{
    while (make(await_news, 0, 10) == 0)
        ;
    crowded("wait");
    for (;;) {
        cv_broadcast(CONDITION_NEWS);
        gio_sleep_until(gio_clock() + 20 * GIO_MICROSECOND);
    }
}

static void *sleep_long(void *argument)
{
    gio_sleep_until(LATER);
    return argument;
}

static void *join_one(void *id)
{
    void *value;
    count++;
    join_thread((gio_id)(uintptr_t)id, &value);
    return 0;
}

static void *end(void *argument)
{
    return argument;
}

/* Half of them join one of the others each; the last place is for one that comes and goes. */
void join(void)
{
    unsigned half = (CROWD - 1) / 2;
    while (made < half && make(sleep_long, 0, 10) == 0)
        ;
    for (unsigned i = 0; i < half; i++)
        make(join_one, (void *)(uintptr_t)ids[i], 9);
    crowded("join");
    for (;;) {
        gio_id id;
        void *value;
        if (create_thread(end, 0, 50, &id) == 0) {
            gio_yield();
            join_thread(id, &value);
        }
    }
}

static void *own_and_sleep(void *argument)
{
    sem_lock(MUTEX_ONE);
    sem_lock(MUTEX_TWO);
    gio_sleep_until(LATER);
    return argument;
}

static void *want_one(void *argument)
{
    count++;
    sem_lock(MUTEX_ONE);
    return argument;
}

/* Threads that hang on the owner of two mutexes, of which the other one comes and goes. */
void hang(void)
{
    make(own_and_sleep, 0, 40);
    gio_sleep_until(gio_clock() + GIO_MILLISECOND);
    while (make(want_one, 0, 1 + made % 30) == 0)
        ;
    crowded("hang");
    for (unsigned i = 0;; i++) {
        gio_id two;
        gio_open(MUTEX_TWO, &two);
        sem_delete(two);
        sem_create(MUTEX_TWO, &two);
        gio_set_priority(ids[1 + i * 17 % (made - 1)], 1 + i * 7 % 30);
    }
}

static void *sleep_far(void *argument)
{
    count++;
    gio_sleep_until(LATER + (uintptr_t)argument * GIO_MILLISECOND);
    return argument;
}

/* Alarms at distinct instants, and one behind nearly all. */
void sleep_apart(void)
{
    while (make(sleep_far, (void *)(uintptr_t)made, 10) == 0)
        ;
    crowded("sleep");
    for (unsigned i = 0;; i++) {
        sem_lock_until(SEMAPHORE_CROWD, gio_clock() + 1000 + i % 50 * 100);
        sem_lock_until(SEMAPHORE_CROWD, GIO_AT_ONCE);
    }
}

static void read_all(void)
{
    struct gio_message message;
    uint32_t words[4] = { 0 }, priority;
    for (unsigned i = 0; i < CROWD; i++) {
        gio_id mailbox = behind(MAILBOX_M0000, i);
        int refused = msg_receive_words(mailbox, GIO_AT_ONCE, words, &priority);
        count += refused == GIO_EAGAIN;
    }
    for (unsigned i = 0; i < CROWD; i++) {
        gio_id mailbox = behind(MAILBOX_M0000, i * 7 % CROWD);
        static unsigned char bytes[16];
        msg_send_words(mailbox, i % 256, words);
        msg_receive_full(mailbox, bytes, sizeof bytes, &message);
    }
}

/* One that has received from many mailboxes, and is the server of as many as it can. */
static void *read_and_end(void *argument)
{
    read_all();
    gio_sleep_until(DEATH);
    return argument;
}

void receive_and_exit(void)
{
    make(read_and_end, 0, 40);
    crowded("mailboxes are read");
    gio_sleep_until(LATER);
}

void receive(void)
{
    read_all();
    crowded("mailboxes are read");
    uint32_t words[4] = { 0 }, priority;
    while (gio_clock() < DEATH) {
        msg_send_words(MAILBOX_M0000, 1, words);
        msg_receive_words(MAILBOX_M0000, GIO_AT_ONCE, words, &priority);
    }
    fault();
}

/* Messages of all priorities in one mailbox. */
void queue(void)
{
    uint32_t words[4] = { 0 }, priority;
    while (msg_send_words(MAILBOX_M0000, count % 255, words) == 0)
        count++;
    crowded("messages lie there");
    while (gio_clock() < DEATH) {
        msg_receive_words(MAILBOX_M0000, GIO_AT_ONCE, words, &priority);
        msg_send_words(MAILBOX_M0000, priority, words);
        msg_send_words(MAILBOX_M0000, 0, words);
    }
    fault();
}

static void *ask(void *argument)
{
    uint32_t words[4] = { 0 }, reply[4];
    count++;
    while (gio_call(MAILBOX_M0000, count % 200, words, reply) == 0)
        ;
    return argument;
}

static void *serve(void *argument)
{
    struct gio_request request;
    while (gio_receive_request(MAILBOX_M0000, GIO_AT_ONCE, &request) == 0)
        ;
    return argument;
}

/* Callers of a mailbox that nobody serves; then one takes all their requests in its hand, and
 * ends. */
void call(void)
{
    while (made < CROWD - 1 && make(ask, 0, 1 + made % 40) == 0)
        ;
    crowded("call");
    gio_id id;
    void *value;
    while (create_thread(serve, 0, 45, &id) == 0)
        join_thread(id, &value);
}

/* Mutexes with ceilings, the most urgent first. */
void own(void)
{
    crowded("mutexes are owned at once");
    for (;;) {
        unsigned owned = 0;
        while (owned < CROWD && sem_lock(behind(MUTEX_C0000, owned)) == 0)
            owned++;
        count = owned;
        while (owned--)
            sem_unlock(behind(MUTEX_C0000, owned));
    }
}

static void *take_for_ever(void *argument)
{
    count++;
    sem_lock(SEMAPHORE_CROWD);
    return argument;
}

/* Waiters whose process dies; another gives what they waited for. */
void die_waiting(void)
{
    while (make(take_for_ever, 0, 10 + made % 20) == 0)
        ;
    crowded("wait");
    gio_sleep_until(DEATH);
    fault();
}
