/* Each thread has variables of its own: with the values of the source at first, in a place
 * that another thread had before, too. */

#include "say.h"

void lead(void);
void first(void);
void second(void);

static _Thread_local char letter = 'a';
static _Thread_local uint64_t big = 9007199254740993u;
static _Thread_local const char *name = "nobody";
static _Thread_local uint32_t count;
static _Thread_local uint64_t empty[3];

static void tell(void)
{
    char text[120];
    char *end = append(text, name);
    end = append(end, ": letter ");
    *end++ = letter;
    end = append(end, ", big ");
    end = append_number(end, big);
    end = append(end, ", count ");
    end = append_number(end, count);
    end = append(end, ", empty ");
    append_number(end, empty[0] + empty[1] + empty[2]);
    gio_log(text);
}

static void change(const char *own)
{
    tell();
    name = own;
    letter++;
    big += 7;
    count += 3;
    empty[2] = count;
}

static void *guest(void *argument)
{
    change("guest");
    tell();
    return argument;
}

/* The two take turns, a millisecond each. */
static void meet(const char *own, unsigned begin)
{
    sleep_until(begin);
    change(own);
    sleep_until(begin + 2);
    tell();
    count++;
    sleep_until(begin + 4);
    tell();
}

void lead(void)
{
    change("lead");
    for (int round = 0; round < 2; round++) {
        gio_id id = 0;
        say("created", create_thread(guest, NULL, 30, &id));
        say("joined", join_thread(id, NULL));
    }
    tell();
}

void first(void)
{
    meet("first", 31);
}

void second(void)
{
    meet("second", 30);
}
