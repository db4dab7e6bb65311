/* Message queues: each has a mutex, and conditions for whoever waits for room or for a message. */

#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES 8
#define DESCRIPTORS 16
#define NAME 31
/* The descriptor in front of the first. */
#define BEFORE 63

struct message {
    struct message *next;
    unsigned priority;
    size_t length;
    char bytes[];
};

/* A queue: free if it has no memory. */
struct queue {
    char name[NAME + 1];
    unsigned open;
    struct mq_attr attr;
    pthread_mutex_t lock;
    pthread_cond_t message_came, room_came;
    unsigned receivers;
    struct message *first, *unused;
    void *memory;
    int is_told;
    struct sigevent event;
};

struct descriptor {
    struct queue *queue;
    int how;
};

static struct queue queues[QUEUES];
static struct descriptor descriptors[DESCRIPTORS];
/* Of both tables. */
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

/* Defined in Rust: src/timer.rs. */
int giornata_posix_check_event(const struct sigevent *event);
void giornata_posix_tell(const struct sigevent *event, int code);

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct queue *find(const char *name)
{
    for (int i = 0; i < QUEUES; i++)
        if (queues[i].memory != NULL && strcmp(queues[i].name, name) == 0)
            return &queues[i];
    return NULL;
}

/* A queue that nobody can reach ends. */
static void forget(struct queue *queue)
{
    if (queue->open == 0 && queue->name[0] == 0) {
        free(queue->memory);
        queue->memory = NULL;
        pthread_mutex_destroy(&queue->lock);
    }
}

/* Returns 0 or the number of an error. */
static int make(struct queue *queue, const char *name, const struct mq_attr *attributes)
{
    static const struct mq_attr usual = { .mq_maxmsg = 8, .mq_msgsize = 64 };
    const struct mq_attr *attr = attributes == NULL ? &usual : attributes;
    if (attr->mq_maxmsg <= 0 || attr->mq_msgsize <= 0)
        return EINVAL;
    size_t each, all;
    const size_t align = sizeof(struct message *) - 1;
    if (__builtin_add_overflow(sizeof(struct message) + align, (size_t)attr->mq_msgsize, &each))
        return ENOSPC;
    each &= ~align;
    if (__builtin_mul_overflow(each, (size_t)attr->mq_maxmsg, &all))
        return ENOSPC;
    memset(queue, 0, sizeof *queue);
    pthread_cond_init(&queue->message_came, NULL);
    pthread_cond_init(&queue->room_came, NULL);
    queue->memory = malloc(all);
    if (queue->memory == NULL)
        return ENOSPC;
    strcpy(queue->name, name);
    queue->attr.mq_maxmsg = attr->mq_maxmsg;
    queue->attr.mq_msgsize = attr->mq_msgsize;
    for (long i = 0; i < attr->mq_maxmsg; i++) {
        struct message *message = (void *)((char *)queue->memory + each * (size_t)i);
        message->next = queue->unused;
        queue->unused = message;
    }
    return 0;
}

static int open_queue(const char *name, int how, const struct mq_attr *attributes)
{
    int at = 0;
    struct queue *queue = find(name);
    while (at < DESCRIPTORS && descriptors[at].queue != NULL)
        at++;
    if (at == DESCRIPTORS)
        return fail(EMFILE);
    if (queue != NULL && (how & O_CREAT) && (how & O_EXCL))
        return fail(EEXIST);
    if (queue == NULL) {
        if (!(how & O_CREAT))
            return fail(ENOENT);
        for (queue = queues; queue < queues + QUEUES && queue->memory != NULL; queue++)
            ;
        if (queue == queues + QUEUES)
            return fail(ENFILE);
        int error = make(queue, name, attributes);
        if (error != 0)
            return fail(error);
    }
    queue->open++;
    descriptors[at] = (struct descriptor){ queue, how };
    return at + BEFORE + 1;
}

mqd_t mq_open(const char *name, int how, ...)
{
    const struct mq_attr *attributes = NULL;
    if (how & O_CREAT) {
        va_list more;
        va_start(more, how);
        (void)va_arg(more, int);
        attributes = va_arg(more, struct mq_attr *);
        va_end(more);
    }
    size_t length = strlen(name);
    if (length == 0 || (how & O_ACCMODE) > O_RDWR)
        return fail(EINVAL);
    if (length > NAME)
        return fail(ENAMETOOLONG);
    pthread_mutex_lock(&tables);
    int result = open_queue(name, how, attributes);
    pthread_mutex_unlock(&tables);
    return result;
}

static struct descriptor *descriptor(mqd_t number)
{
    int at = number - BEFORE - 1;
    if (at < 0 || at >= DESCRIPTORS || descriptors[at].queue == NULL)
        return NULL;
    return &descriptors[at];
}

int mq_close(mqd_t number)
{
    pthread_mutex_lock(&tables);
    struct descriptor *own = descriptor(number);
    if (own != NULL) {
        own->queue->open--;
        forget(own->queue);
        own->queue = NULL;
    }
    pthread_mutex_unlock(&tables);
    return own == NULL ? fail(EBADF) : 0;
}

int mq_unlink(const char *name)
{
    if (strlen(name) > NAME)
        return fail(ENAMETOOLONG);
    pthread_mutex_lock(&tables);
    struct queue *queue = name[0] == 0 ? NULL : find(name);
    if (queue != NULL) {
        queue->name[0] = 0;
        forget(queue);
    }
    pthread_mutex_unlock(&tables);
    return queue == NULL ? fail(ENOENT) : 0;
}

/* Who waits for a message was cancelled. */
static void leave_receiving(void *queue)
{
    ((struct queue *)queue)->receivers--;
    pthread_mutex_unlock(&((struct queue *)queue)->lock);
}

/* The same of who waits for room. */
static void leave_sending(void *queue)
{
    pthread_mutex_unlock(&((struct queue *)queue)->lock);
}

/* Waits once, with the lock. Returns 0 or the number of an error. */
static int await(const struct descriptor *own, pthread_cond_t *condition, void (*leave)(void *),
                 const struct timespec *time)
{
    int error;
    if (own->how & O_NONBLOCK)
        return EAGAIN;
    pthread_cleanup_push(leave, own->queue);
    error = time == NULL ? pthread_cond_wait(condition, &own->queue->lock) :
                           pthread_cond_timedwait(condition, &own->queue->lock, time);
    pthread_cleanup_pop(0);
    return error;
}

int mq_timedsend(mqd_t number, const char *bytes, size_t length, unsigned priority,
                 const struct timespec *time)
{
    struct descriptor *own = descriptor(number);
    struct sigevent event;
    int error = 0, tells = 0;
    if (own == NULL || (own->how & O_ACCMODE) == O_RDONLY)
        return fail(EBADF);
    struct queue *queue = own->queue;
    if (priority >= MQ_PRIO_MAX)
        return fail(EINVAL);
    if (length > (size_t)queue->attr.mq_msgsize)
        return fail(EMSGSIZE);
    pthread_mutex_lock(&queue->lock);
    while (error == 0 && queue->unused == NULL)
        error = await(own, &queue->room_came, leave_sending, time);
    if (error == 0) {
        struct message *message = queue->unused, **place = &queue->first;
        queue->unused = message->next;
        message->priority = priority;
        message->length = length;
        memcpy(message->bytes, bytes, length);
        while (*place != NULL && (*place)->priority >= priority)
            place = &(*place)->next;
        message->next = *place;
        *place = message;
        tells = queue->attr.mq_curmsgs++ == 0 && queue->receivers == 0 && queue->is_told;
        if (tells) {
            event = queue->event;
            queue->is_told = 0;
        }
        pthread_cond_signal(&queue->message_came);
    }
    pthread_mutex_unlock(&queue->lock);
    if (tells)
        giornata_posix_tell(&event, SI_MESGQ);
    return error == 0 ? 0 : fail(error);
}

int mq_send(mqd_t number, const char *bytes, size_t length, unsigned priority)
{
    return mq_timedsend(number, bytes, length, priority, NULL);
}

ssize_t mq_timedreceive(mqd_t number, char *bytes, size_t room, unsigned *priority,
                        const struct timespec *time)
{
    struct descriptor *own = descriptor(number);
    int error = 0;
    if (own == NULL || (own->how & O_ACCMODE) == O_WRONLY)
        return fail(EBADF);
    struct queue *queue = own->queue;
    if (room < (size_t)queue->attr.mq_msgsize)
        return fail(EMSGSIZE);
    pthread_mutex_lock(&queue->lock);
    while (error == 0 && queue->first == NULL) {
        queue->receivers++;
        error = await(own, &queue->message_came, leave_receiving, time);
        queue->receivers--;
    }
    ssize_t length = -1;
    if (error == 0) {
        struct message *message = queue->first;
        queue->first = message->next;
        queue->attr.mq_curmsgs--;
        length = (ssize_t)message->length;
        memcpy(bytes, message->bytes, message->length);
        if (priority != NULL)
            *priority = message->priority;
        message->next = queue->unused;
        queue->unused = message;
        pthread_cond_signal(&queue->room_came);
    }
    pthread_mutex_unlock(&queue->lock);
    return error == 0 ? length : fail(error);
}

ssize_t mq_receive(mqd_t number, char *bytes, size_t room, unsigned *priority)
{
    return mq_timedreceive(number, bytes, room, priority, NULL);
}

int mq_getattr(mqd_t number, struct mq_attr *attributes)
{
    struct descriptor *own = descriptor(number);
    if (own == NULL)
        return fail(EBADF);
    pthread_mutex_lock(&own->queue->lock);
    *attributes = own->queue->attr;
    pthread_mutex_unlock(&own->queue->lock);
    attributes->mq_flags = own->how & O_NONBLOCK;
    return 0;
}

int mq_setattr(mqd_t number, const struct mq_attr *attributes, struct mq_attr *before)
{
    struct descriptor *own = descriptor(number);
    if (own == NULL)
        return fail(EBADF);
    if (before != NULL)
        mq_getattr(number, before);
    own->how = (own->how & ~O_NONBLOCK) | (int)(attributes->mq_flags & O_NONBLOCK);
    return 0;
}

int mq_notify(mqd_t number, const struct sigevent *event)
{
    struct descriptor *own = descriptor(number);
    int error = 0;
    if (own == NULL)
        return fail(EBADF);
    if (event != NULL && giornata_posix_check_event(event) != 0)
        return fail(EINVAL);
    struct queue *queue = own->queue;
    pthread_mutex_lock(&queue->lock);
    if (event == NULL) {
        queue->is_told = 0;
    } else if (queue->is_told) {
        error = EBUSY;
    } else {
        queue->event = *event;
        queue->is_told = 1;
    }
    pthread_mutex_unlock(&queue->lock);
    return error == 0 ? 0 : fail(error);
}
