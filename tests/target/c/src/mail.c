/* Requests by way of a protocol server, replies without one. */

#include "say.h"
#include <identifiers.h>

void ask(void);
void between(void);
void carry(void);
void answer(void);

struct request {
    uint32_t number;
    char text[20];
};

/* What is refused on the side of who sends. */
static void wrong(void)
{
    struct request request = { 0, "nothing" };
    say("too long", msg_send(MAILBOX_REQUESTS, 1, &request, sizeof request + 1));
    say("from nowhere", msg_send(MAILBOX_REQUESTS, 1, (void *)16, 20));
    say("no mailbox", msg_send(1000, 1, &request, 1));
    say("no right to send", msg_send(MAILBOX_REPLIES, 1, &request, 1));
    say("no right to send direct", msg_send_direct(MAILBOX_REQUESTS, 1, &request, 1));
    say("no right to receive", msg_receive(MAILBOX_STACK, &request, sizeof request, NULL));
    say("none is there", try_msg_receive(MAILBOX_REPLIES, &request, sizeof request, NULL));
    say("none in time", msg_receive_until(MAILBOX_REPLIES, at(1), &request, sizeof request, NULL));
    say("a mailbox made while it is there", mbox_create(MAILBOX_SPARE, GIO_NO_SERVER, NULL));
}

void ask(void)
{
    wrong();
    for (uint32_t number = 1; number <= 3; number++) {
        struct request request = { number, "please" };
        say("asked", msg_send(MAILBOX_REQUESTS, number, &request, sizeof request));
    }
    uint32_t words[4], priority;
    while (!msg_receive_words(MAILBOX_REPLIES, at(20), words, &priority)) {
        say_number("reply to", words[0]);
        say_number("of priority", priority);
    }
    say("no more", msg_receive_words(MAILBOX_REPLIES, GIO_AT_ONCE, words, NULL));

    /* a mailbox that comes and goes */
    gio_id spare = 0, other = 0;
    say("deleted", mbox_delete(MAILBOX_SPARE));
    say("has gone", msg_send_words(MAILBOX_SPARE, 1, words));
    say("its own server", mbox_create(MAILBOX_SPARE, MAILBOX_SPARE, &spare));
    say("a server that is no mailbox", mbox_create(MAILBOX_SPARE, MUTEX_BUS, &spare));
    say("attached", mbox_create(MAILBOX_SPARE, MAILBOX_STACK, &spare));
    say("out by the server", msg_send_via(MAILBOX_STACK, 3, spare, 9, "hello", 5));
    sleep_until(25);
    say("no right to make", mbox_create(MAILBOX_REPLIES, GIO_NO_SERVER, &other));
}

/* More urgent than the server is of itself. */
void between(void)
{
    sleep_until(1);
    gio_log("between begins");
    work(1);
    gio_log("between is done");
}

void carry(void)
{
    struct request request;
    struct gio_message message;
    for (;;) {
        int answer = msg_receive_full(MAILBOX_STACK, &request, sizeof request, &message);
        if (answer)
            return say("carry ends", answer);
        if (!message.incoming) {
            say_number("carries out to node", message.node);
            say_number("bytes", message.length);
            continue;
        }
        say_number("carries", request.number);
        say_number("bytes", message.length);
        say_number("for requests:", message.mailbox == MAILBOX_REQUESTS);
        say_number("from ask:", message.sender == THREAD_CLIENT_ASK);
        say("carried", msg_send_direct(message.mailbox, message.priority, &request, message.length));
    }
}

void answer(void)
{
    struct request request;
    struct gio_message message;
    say("as a server", msg_receive_full(MAILBOX_STACK, &request, sizeof request, NULL));
    say("in too little room", msg_receive(MAILBOX_REQUESTS, &request, 16, NULL));
    say("into nowhere", msg_receive(MAILBOX_REQUESTS, (void *)16, sizeof request, NULL));
    while (!msg_receive(MAILBOX_REQUESTS, &request, sizeof request, &message)) {
        uint32_t words[4] = { request.number, 0, 0, 0 };
        say(request.text, msg_send_words(MAILBOX_REPLIES, message.priority, words));
    }
}
