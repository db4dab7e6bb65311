/* The controller in plain POSIX: a periodic thread reads the level ten times a second and
 * tells main() when something changes. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "device.h"
#include "law.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_open, changes;

static void add(struct timespec *time, long milliseconds)
{
    time->tv_nsec += milliseconds * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec++;
    }
}

static void *control(void *unused)
{
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        int32_t opening = opening_for(read_level());
        move_valve(opening);
        pthread_mutex_lock(&lock);
        if (is_open != (opening == 1000)) {
            is_open = opening == 1000;
            changes++;
            pthread_cond_signal(&changed);
        }
        pthread_mutex_unlock(&lock);
        add(&next, 100);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
            ;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, control, NULL);
    if (error != 0) {
        printf("there is no thread for the controller: %d\n", error);
        return 1;
    }
    for (int seen = 0;;) {
        pthread_mutex_lock(&lock);
        while (changes == seen)
            pthread_cond_wait(&changed, &lock);
        seen = changes;
        puts(is_open ? "the valve is wide open" : "the tank is nearly full");
        pthread_mutex_unlock(&lock);
    }
}
