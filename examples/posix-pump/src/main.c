/* The pump of a mine (Burns and Wellings): it keeps the water low, and never runs while there
 * is methane, or while nobody knows. Each step of the mine takes 20 ms. */

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mine.h"
#include "pump.h"
#include "tasks.h"

enum {
    STEP = 20,
    WATER = 30,
    WATER_LOW = 12,
    METHANE = 28,
    CARBON_MONOXIDE = 26,
    LOG = 10,
    CEILING = 35,
};

/* What the tasks share. */
static pthread_mutex_t lock;
static struct mine mine = { .water = 30 };
static struct pump pump = { .safe = true };
static enum water_event event;
static char lines[4][80];
static int line_count;

/* Each task waits for its turn, and tells when it has had it. */
static sem_t water, methane, carbon_monoxide, log_lines, done;
static volatile sig_atomic_t overran;
static volatile int is_over;

static void take(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR)
        ;
}

/* Has a task have its turn. */
static void turn(sem_t *task)
{
    sem_post(task);
    take(&done);
}

/* With the lock. */
static void say(const char *what, int value, bool has_switched)
{
    if (line_count < 4)
        snprintf(lines[line_count++], sizeof lines[0], "step %d, %d cm: %s %d%s", mine.step,
                 mine.water, what, value, !has_switched ? "" : pump.runs ? ", pump on" : ", pump off");
}

static void *serve_water(void *unused)
{
    for (take(&water); !is_over; take(&water)) {
        pthread_mutex_lock(&lock);
        bool has_switched = pump_on_water(&pump, event);
        say(event == WATER_IS_HIGH ? "high water," : "low water,", mine.water, has_switched);
        pthread_mutex_unlock(&lock);
        sem_post(&done);
    }
    return unused;
}

static void on_overrun(int number)
{
    (void)number;
    overran = 1;
}

/* Samples the methane within 3 ms of CPU time, or nobody knows. */
static void *watch_methane(void *unused)
{
    struct sigevent tell = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
    struct itimerspec budget = { .it_value = { .tv_nsec = 3000000 } }, none = { 0 };
    sigset_t set;
    timer_t timer;
    /* the only thread that takes the signal */
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &tell, &timer) != 0)
        fall_back("timer of CPU time");
    for (take(&methane); !is_over; take(&methane)) {
        overran = 0;
        timer_settime(timer, 0, &budget, NULL);
        while (mine.sticks && !overran)
            ;
        timer_settime(timer, 0, &none, NULL);
        pthread_mutex_lock(&lock);
        bool has_switched = overran ? pump_on_silence(&pump) : pump_on_methane(&pump, mine.methane);
        if (overran)
            say("no answer about methane for ms", 3, has_switched);
        else if (has_switched || mine.methane > MOST_METHANE)
            say("methane", mine.methane, has_switched);
        pthread_mutex_unlock(&lock);
        sem_post(&done);
    }
    timer_delete(timer);
    return unused;
}

static void *watch_carbon_monoxide(void *unused)
{
    for (take(&carbon_monoxide); !is_over; take(&carbon_monoxide)) {
        pthread_mutex_lock(&lock);
        if (mine.carbon_monoxide > MOST_CARBON_MONOXIDE)
            say("everybody out, carbon monoxide", mine.carbon_monoxide, false);
        pthread_mutex_unlock(&lock);
        sem_post(&done);
    }
    return unused;
}

static void *write_log(void *unused)
{
    for (take(&log_lines); !is_over; take(&log_lines)) {
        char copy[4][80];
        pthread_mutex_lock(&lock);
        int count = line_count;
        memcpy(copy, lines, sizeof copy);
        line_count = 0;
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < count; i++)
            puts(copy[i]);
        sem_post(&done);
    }
    return unused;
}

int main(void)
{
    sem_t *const all[] = { &water, &methane, &carbon_monoxide, &log_lines };
    struct sigaction action = { .sa_handler = on_overrun };
    sigset_t set;
    sigaction(SIGRTMIN, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sem_init(&done, 0, 0);
    for (int i = 0; i < 4; i++)
        sem_init(all[i], 0, 0);
    make_mutex(&lock, CEILING);
    const pthread_t tasks[] = {
        start_server(WATER, WATER_LOW, 2, STEP, serve_water),
        start_task(METHANE, watch_methane),
        start_task(CARBON_MONOXIDE, watch_carbon_monoxide),
        start_task(LOG, write_log),
    };
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (mine.step < STEPS) {
        next.tv_nsec += STEP * 1000000L;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
            ;
        pthread_mutex_lock(&lock);
        event = mine_step(&mine, pump.runs);
        pthread_mutex_unlock(&lock);
        turn(&methane);
        turn(&carbon_monoxide);
        if (event != NO_EVENT)
            turn(&water);
        turn(&log_lines);
    }
    is_over = 1;
    for (int i = 0; i < 4; i++) {
        sem_post(all[i]);
        pthread_join(tasks[i], NULL);
    }
    printf("%d steps, %d cm of water, the pump is %s\n", mine.step, mine.water,
           pump.runs ? "on" : "off");
    return 0;
}
