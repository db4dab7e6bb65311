/* Message queues of one process: 8 of names of 31 bytes at most, whose memory is the heap's. All
 * functions return -1 with the error in `errno`. */
#ifndef GIORNATA_POSIX_MQUEUE_H
#define GIORNATA_POSIX_MQUEUE_H

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int mqd_t;

struct mq_attr {
    long mq_flags;
    long mq_maxmsg;
    long mq_msgsize;
    long mq_curmsgs;
};

#ifndef MQ_PRIO_MAX
#define MQ_PRIO_MAX 32
#endif

/* With O_CREAT: mode_t mode, struct mq_attr *attributes; without attributes 8 messages of 64
 * bytes. EINVAL: the name is empty, or an attribute is not above 0. ENOENT, EEXIST,
 * ENAMETOOLONG. ENFILE: there are 8. EMFILE: 16 are open. ENOSPC: the heap has no room. */
mqd_t mq_open(const char *name, int how, ...);
/* EBADF, here and below: it is not open, or not for this. */
int mq_close(mqd_t queue);
/* ENOENT. */
int mq_unlink(const char *name);
/* The most urgent goes first, of one priority the oldest. Block while the queue is full; EAGAIN:
 * it is, and O_NONBLOCK is set. EMSGSIZE: the message is too long. EINVAL: no priority below
 * MQ_PRIO_MAX. ETIMEDOUT: CLOCK_REALTIME shows `time`. */
int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority);
int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority,
                 const struct timespec *time);
/* Block while the queue is empty. EMSGSIZE: there is less room than a message may take. */
ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned *priority);
ssize_t mq_timedreceive(mqd_t queue, char *__restrict message, size_t room,
                        unsigned *__restrict priority, const struct timespec *__restrict time);
int mq_getattr(mqd_t queue, struct mq_attr *attributes);
/* Sets O_NONBLOCK, or not. */
int mq_setattr(mqd_t queue, const struct mq_attr *__restrict attributes,
               struct mq_attr *__restrict before);
/* Tells once, when a message comes to the empty queue and nobody waits for one; NULL: not any
 * more. EBUSY: it is told of already. */
int mq_notify(mqd_t queue, const struct sigevent *event);

#ifdef __cplusplus
}
#endif

#endif
