/* Timed waits for a condition, and waits that a signal ends: whoever comes out of one has the
 * mutex, wherever its time or the signal met the threads. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "start.h"

#define SECOND 1000000000L

enum { BUYERS = 4, GOODS = 400, VISITS = 200, SIGNALS = 1000 };

static void rest(long nanoseconds)
{
    struct timespec time = { .tv_nsec = nanoseconds };
    while (nanosleep(&time, &time) != 0)
        ;
}

static struct timespec in(long nanoseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += nanoseconds;
    if (time.tv_nsec >= SECOND) {
        time.tv_nsec -= SECOND;
        time.tv_sec++;
    }
    return time;
}

/* A shop: its door is a mutex, so one thread is in it. */
static struct {
    pthread_mutex_t door;
    pthread_cond_t delivered;
    int inside, in_stock, made, sold, timeouts;
    int is_shut;
    /* What must not be: two inside, a wait or a lock that says something else. */
    int crowded, wrong;
} shop;

static void enter(void)
{
    shop.wrong += pthread_mutex_lock(&shop.door) != 0;
    shop.crowded += shop.inside++ != 0;
}

static void leave(void)
{
    shop.crowded += --shop.inside != 0;
    shop.wrong += pthread_mutex_unlock(&shop.door) != 0;
}

/* Waits in the shop, which is left meanwhile. */
static int await_delivery(long nanoseconds)
{
    struct timespec until = in(nanoseconds);
    shop.crowded += --shop.inside != 0;
    int error = pthread_cond_timedwait(&shop.delivered, &shop.door, &until);
    shop.crowded += shop.inside++ != 0;
    shop.timeouts += error == ETIMEDOUT;
    shop.wrong += error != 0 && error != ETIMEDOUT;
    return error;
}

static void *make(void *number)
{
    for (int i = 0; i < GOODS; i++) {
        enter();
        shop.in_stock++;
        shop.made++;
        shop.wrong += pthread_cond_signal(&shop.delivered) != 0;
        leave();
        rest((i * 41 + (intptr_t)number * 13) % 89 * 1000);
    }
    return NULL;
}

static void *buy(void *patience)
{
    for (int is_over = 0; !is_over;) {
        enter();
        while (shop.in_stock == 0 && !shop.is_shut)
            await_delivery((intptr_t)patience);
        is_over = shop.in_stock == 0;
        if (!is_over) {
            shop.in_stock--;
            shop.sold++;
        }
        leave();
    }
    return NULL;
}

static void open_shop(int type, int protocol)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutexattr_setprotocol(&attr, protocol);
    pthread_mutexattr_setprioceiling(&attr, 40);
    memset(&shop, 0, sizeof shop);
    CHECK(pthread_mutex_init(&shop.door, &attr) == 0);
    CHECK(pthread_cond_init(&shop.delivered, NULL) == 0);
}

static void close_shop(void)
{
    CHECK(shop.crowded == 0 && shop.wrong == 0);
    CHECK(pthread_mutex_trylock(&shop.door) == 0 && pthread_mutex_unlock(&shop.door) == 0);
    CHECK(pthread_mutex_destroy(&shop.door) == 0 && pthread_cond_destroy(&shop.delivered) == 0);
}

/* Timeouts meet a door that is open, that is shut, and one that is about to be either. */
static void timeouts(int type, int protocol)
{
    open_shop(type, protocol);
    pthread_t makers[BUYERS], buyers[BUYERS];
    for (intptr_t i = 0; i < BUYERS; i++) {
        buyers[i] = start(26 + (int)i, buy, (void *)(30000 + i * 7000));
        makers[i] = start(24 + 2 * (int)i, make, (void *)i);
    }
    for (int i = 0; i < BUYERS; i++)
        CHECK(joined(makers[i]) == 0);
    enter();
    shop.is_shut = 1;
    CHECK(pthread_cond_broadcast(&shop.delivered) == 0);
    leave();
    for (int i = 0; i < BUYERS; i++)
        CHECK(joined(buyers[i]) == 0);
    CHECK(shop.timeouts > GOODS && shop.made == BUYERS * GOODS && shop.sold == shop.made);
    close_shop();
}

/* Goes in and out all the time, and gives less urgent threads little of it to wait anew. */
static void *visit(void *unused)
{
    (void)unused;
    for (int i = 0; i < VISITS; i++) {
        for (int j = 0; j < 40; j++) {
            enter();
            leave();
        }
        rest(20000 + i % 7 * 300);
    }
    enter();
    shop.is_shut = 1;
    leave();
    return NULL;
}

/* The time of less urgent threads is over while a more urgent one locks and unlocks. */
static void visited(int protocol)
{
    open_shop(PTHREAD_MUTEX_ERRORCHECK, protocol);
    pthread_t visitor = start(35, visit, NULL), buyers[BUYERS];
    for (intptr_t i = 0; i < BUYERS; i++)
        buyers[i] = start(26 + (int)i, buy, (void *)(21000 + i * 1100));
    CHECK(joined(visitor) == 0);
    for (int i = 0; i < BUYERS; i++)
        CHECK(joined(buyers[i]) == 0);
    CHECK(shop.timeouts > VISITS);
    close_shop();
}

static volatile int handled, is_over;

static void handle(int number)
{
    (void)number;
    handled++;
}

static void *disturb(void *thread)
{
    for (int i = 0; i < SIGNALS; i++) {
        rest(4000 + i * 37 % 1009 * 10);
        shop.wrong += pthread_kill(*(pthread_t *)thread, SIGUSR1) != 0;
    }
    is_over = 1;
    return NULL;
}

/* A signal meets a wait before the mutex is given back, in it, and after. */
static void signals(int type, long patience)
{
    open_shop(type, PTHREAD_PRIO_NONE);
    handled = is_over = 0;
    pthread_t self = pthread_self(), other = start(30, disturb, &self);
    enter();
    while (!is_over)
        await_delivery(patience);
    leave();
    CHECK(joined(other) == 0 && handled > 0 && handled <= SIGNALS);
    close_shop();
}

int main(void)
{
    timeouts(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
    timeouts(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_PROTECT);
    visited(PTHREAD_PRIO_NONE);
    visited(PTHREAD_PRIO_PROTECT);
    tell("timed waits");
    struct sigaction action = { .sa_handler = handle };
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    signals(PTHREAD_MUTEX_ERRORCHECK, 0);
    signals(PTHREAD_MUTEX_RECURSIVE, 0);
    signals(PTHREAD_MUTEX_ERRORCHECK, 9000);
    tell("interrupted waits");
    return 0;
}
