/* Message queues. */

#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "start.h"

static mqd_t queue;
static volatile int told;

static struct timespec soon(long milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += milliseconds * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static void names(void)
{
    struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 8 }, seen, none = { .mq_maxmsg = 0 };
    struct mq_attr large = { .mq_maxmsg = 1000000, .mq_msgsize = 1000000 };
    CHECK(mq_open("/q", O_RDWR) == -1 && errno == ENOENT);
    CHECK(mq_open("", O_RDWR | O_CREAT, 0600, &attr) == -1 && errno == EINVAL);
    CHECK(mq_open("/q", O_RDWR | O_CREAT, 0600, &none) == -1 && errno == EINVAL);
    CHECK(mq_open("/q", O_RDWR | O_CREAT, 0600, &large) == -1 && errno == ENOSPC);
    CHECK(mq_open("/a-name-that-is-longer-than-31-bytes", O_RDWR) == -1 && errno == ENAMETOOLONG);
    queue = mq_open("/q", O_RDWR | O_CREAT, 0600, &attr);
    CHECK(queue != -1 && mq_getattr(queue, &seen) == 0);
    CHECK(seen.mq_maxmsg == 2 && seen.mq_msgsize == 8 && seen.mq_curmsgs == 0);
    CHECK(mq_open("/q", O_RDWR | O_CREAT | O_EXCL, 0600, &attr) == -1 && errno == EEXIST);
    mqd_t reads = mq_open("/q", O_RDONLY), writes = mq_open("/q", O_WRONLY | O_NONBLOCK);
    CHECK(mq_send(reads, "a", 1, 0) == -1 && errno == EBADF);
    CHECK(mq_receive(writes, (char[8]){ 0 }, 8, NULL) == -1 && errno == EBADF);
    CHECK(mq_close(reads) == 0 && mq_close(reads) == -1 && errno == EBADF);
    CHECK(mq_getattr(writes, &seen) == 0 && seen.mq_flags == O_NONBLOCK);
    CHECK(mq_close(writes) == 0 && mq_close(0) == -1 && mq_close(1000) == -1);
    tell("names");
}

static void order(void)
{
    char bytes[8];
    unsigned priority;
    struct timespec past = { 0, 0 }, bad = { .tv_nsec = -1 }, time = soon(2);
    CHECK(mq_send(queue, "low", 3, 1) == 0 && mq_send(queue, "high", 4, 9) == 0);
    CHECK(mq_timedsend(queue, "more", 4, 1, &past) == -1 && errno == ETIMEDOUT);
    CHECK(mq_timedsend(queue, "more", 4, 1, &bad) == -1 && errno == EINVAL);
    CHECK(mq_send(queue, "123456789", 9, 0) == -1 && errno == EMSGSIZE);
    CHECK(mq_send(queue, "x", 1, MQ_PRIO_MAX) == -1 && errno == EINVAL);
    CHECK(mq_receive(queue, bytes, 7, NULL) == -1 && errno == EMSGSIZE);
    CHECK(mq_receive(queue, bytes, 8, &priority) == 4 && priority == 9);
    CHECK(memcmp(bytes, "high", 4) == 0 && mq_send(queue, "new", 3, 1) == 0);
    CHECK(mq_receive(queue, bytes, 8, &priority) == 3 && memcmp(bytes, "low", 3) == 0);
    CHECK(mq_receive(queue, bytes, 8, NULL) == 3 && memcmp(bytes, "new", 3) == 0);
    CHECK(mq_timedreceive(queue, bytes, 8, NULL, &time) == -1 && errno == ETIMEDOUT);
    struct mq_attr attr = { .mq_flags = O_NONBLOCK }, before;
    CHECK(mq_setattr(queue, &attr, &before) == 0 && before.mq_flags == 0);
    CHECK(mq_receive(queue, bytes, 8, NULL) == -1 && errno == EAGAIN);
    CHECK(mq_setattr(queue, &before, NULL) == 0);
    tell("order");
}

static void *receive(void *into)
{
    return (void *)(intptr_t)mq_receive(queue, into, 8, NULL);
}

static void *send(void *from)
{
    return (void *)(intptr_t)mq_send(queue, from, 4, 0);
}

static void threads(void)
{
    char bytes[8] = "", other[8];
    void *value;
    pthread_t thread = start(30, receive, bytes);
    CHECK(mq_send(queue, "four", 4, 0) == 0 && memcmp(bytes, "four", 4) == 0);
    CHECK(pthread_join(thread, &value) == 0 && (intptr_t)value == 4);
    CHECK(mq_send(queue, "a", 1, 0) == 0 && mq_send(queue, "b", 1, 0) == 0);
    thread = start(30, send, "last");
    CHECK(mq_receive(queue, other, 8, NULL) == 1 && mq_receive(queue, other, 8, NULL) == 1);
    CHECK(mq_receive(queue, other, 8, NULL) == 4 && memcmp(other, "last", 4) == 0);
    CHECK(pthread_join(thread, &value) == 0 && value == NULL);
    // who is cancelled leaves the queue as it was
    thread = start(30, receive, bytes);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &value) == 0);
    CHECK(value == PTHREAD_CANCELED && mq_send(queue, "c", 1, 0) == 0);
    CHECK(mq_receive(queue, other, 8, NULL) == 1);
    tell("threads");
}

static void note(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    told += info->si_code == SI_MESGQ ? info->si_value.sival_int : 1000;
}

static void notices(void)
{
    char bytes[8];
    struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
                              .sigev_value = { .sival_int = 3 } };
    struct sigevent bad = { .sigev_notify = 99 };
    sigaction(SIGRTMIN, &action, NULL);
    CHECK(mq_notify(queue, &bad) == -1 && errno == EINVAL && mq_notify(-1, NULL) == -1);
    CHECK(mq_notify(queue, &event) == 0 && mq_notify(queue, &event) == -1 && errno == EBUSY);
    CHECK(mq_send(queue, "a", 1, 0) == 0 && told == 3);
    // once, and not of a queue that has something
    CHECK(mq_send(queue, "b", 1, 0) == 0 && told == 3);
    CHECK(mq_notify(queue, &event) == 0);
    CHECK(mq_receive(queue, bytes, 8, NULL) == 1 && mq_send(queue, "c", 1, 0) == 0 && told == 3);
    CHECK(mq_receive(queue, bytes, 8, NULL) == 1 && mq_receive(queue, bytes, 8, NULL) == 1);
    CHECK(mq_send(queue, "d", 1, 0) == 0 && told == 6 && mq_notify(queue, NULL) == 0);
    CHECK(mq_unlink("/q") == 0 && mq_unlink("/q") == -1 && errno == ENOENT);
    CHECK(mq_receive(queue, bytes, 8, NULL) == 1 && mq_close(queue) == 0);
    for (int i = 0; i < 50; i++) {
        queue = mq_open("/again", O_RDWR | O_CREAT, 0600, NULL);
        CHECK(queue != -1 && mq_unlink("/again") == 0 && mq_close(queue) == 0);
    }
    tell("notices");
}

int main(void)
{
    names();
    order();
    threads();
    notices();
    return 0;
}
