/* Threads as a real-time program wants them, and what a system without that gives instead. */
#ifndef TASKS_H
#define TASKS_H

#include <pthread.h>
#include <time.h>

/* Starts a thread of this priority. */
pthread_t start_task(int priority, void *(*body)(void *));

/* The same as a sporadic server: `budget` in each `period`, in ms, and then with the lower
 * priority. Where there are none, it has its priority always. */
pthread_t start_server(int priority, int low, int budget, int period, void *(*body)(void *));

/* A mutex for threads of up to this priority. */
void make_mutex(pthread_mutex_t *mutex, int ceiling);

/* What this system does not have is told once on the standard error. */
void fall_back(const char *what);

#endif
