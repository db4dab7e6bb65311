/* How a program after POSIX ends itself, two functions below main(): each life in another way. */

#include <assert.h>
#include <giornata.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void give_up(void)
{
    abort();
}

static void give_up_in_vain(int number)
{
    printf("caught %d\n", number);
}

static void catch_and_give_up(void)
{
    signal(SIGABRT, give_up_in_vain);
    abort();
}

static void assert_more(void)
{
    volatile int seven = 7;
    assert(seven > 1000);
}

static void terminate(void)
{
    raise(SIGTERM);
}

static void leave(void)
{
    exit(3);
}

static void free_twice(void)
{
    void *volatile memory = malloc(100);
    free(memory);
    free(memory);
}

static void print_and_give_up(void)
{
    /* (what is no line yet is told all the same) */
    printf("on the way out: ");
    printf("%.3Lf", 1.5L);
    abort();
}

static void (*const all[])(void) = {
    give_up, catch_and_give_up, assert_more, terminate, leave, free_twice, print_and_give_up,
};

static __attribute__((noinline)) void end_by(unsigned way)
{
    if (way < sizeof all / sizeof *all)
        all[way]();
    printf("all done\n");
}

int main(void)
{
    /* (so often was the process restarted) */
    gio_id own = 0;
    gio_own(&own);
    end_by(own >> 16);
    for (;;)
        pause();
}
