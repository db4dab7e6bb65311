/* A call that is interrupted goes on with what it was made with, whatever its process says by
 * then: here with another length, out of a block that begins anew when its thread has lost the
 * processor. */

#include "say.h"
#include <identifiers.h>

void send(void);
void change(void);
void keep(void);

enum { LONGEST = 4096, TOO_LONG = 12000, SENT = 60 };

static unsigned char bytes[16384];
static volatile size_t length[1];
static volatile unsigned changes;

/* The length is read from memory in the block that the call ends. (Send_bytes is call 29.) */
__asm__(".option push\n.option norvc\n"
        ".pushsection .text.giornata_restartable.changed, \"ax\", @progbits\n"
        ".type changed_send, @function\n"
        ".balign 32\n"
        "changed_send:\n"
        "nop\nnop\nnop\nnop\nnop\n"
#if __riscv_xlen == 64
        "ld a3, 0(s1)\n"
#else
        "lw a3, 0(s1)\n"
#endif
        "li a7, 29\n"
        "ecall\n"
        "jr s2\n"
        ".popsection\n.option pop\n");

static int send_as_it_is(gio_id to)
{
    /* (the first that lives in its slot) */
    register size_t a0 __asm__("a0") = (uint32_t)to & 0xffff;
    register size_t a1 __asm__("a1") = 1;
    register size_t a2 __asm__("a2") = (size_t)bytes;
    register size_t a4 __asm__("a4") = 0;
    register size_t a5 __asm__("a5") = 0;
    register size_t s1 __asm__("s1") = (size_t)length;
    __asm__ volatile("la s2, 1f\n"
                     "j changed_send\n"
                     "1:\n"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a4), "+r"(a5), "+r"(s1)
                     :
                     : "s2", "ra", "a3", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6",
                       "memory");
    return (int)a0;
}

/* Sends messages, each begun with the longest length that is allowed. */
void send(void)
{
    unsigned whole = 0, refused = 0, other = 0, interrupted = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xA5;
    sleep_until(5);
    for (int i = 0; i < SENT; i++) {
        struct gio_message message;
        unsigned before = changes;
        length[0] = LONGEST;
        int answer = send_as_it_is(MAILBOX_BOX);
        interrupted += changes != before;
        if (answer == GIO_EMSGSIZE) {
            refused++;
            continue;
        }
        static unsigned char into[sizeof bytes];
        answer |= try_msg_receive(MAILBOX_BOX, into, sizeof into, &message);
        if (!answer && message.length == LONGEST)
            whole++;
        else
            other++;
    }
    gio_log(interrupted > SENT / 4 ? "its length was changed meanwhile" : "it was not disturbed");
    gio_log(whole + refused == SENT && whole ? "each was whole, or refused at once" : "some were not");
    say_number("of another length", other);
}

void change(void)
{
    for (gio_time next = at(5);; next += 7300) {
        gio_sleep_until(next);
        length[0] = TOO_LONG;
        changes++;
    }
}

/* Another process has a message of its own in the kernel's memory all the time. */
void keep(void)
{
    struct gio_message message;
    for (size_t i = 0; i < LONGEST; i++)
        bytes[i] = 0x11;
    say("kept", msg_send(MAILBOX_KEPT, 1, bytes, LONGEST));
    sleep_until(45);
    say("as it was", try_msg_receive(MAILBOX_KEPT, bytes, LONGEST, &message));
    unsigned others = 0;
    for (size_t i = 0; i < LONGEST; i++)
        others += bytes[i] != 0x11;
    say_number("bytes of somebody else", others);
}
