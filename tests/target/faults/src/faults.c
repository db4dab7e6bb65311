/* Faults of every kind in C, one in each life of the process: the transcript names the
 * function and the line. */

#include <assert.h>
#include <giornata.h>

void fault(void);

typedef int kind(int seven);

static volatile int *volatile nowhere = (int *)8;
static const int constant[4] = {1, 2, 3, 4};

static __attribute__((noinline)) int load_null(int seven)
{
    return nowhere[seven];
}

static __attribute__((noinline)) int recurse(int depth)
{
    volatile int frame[16];
    frame[depth % 16] = depth;
    if (depth < 0)
        return 0;
    return recurse(depth + 1) + frame[depth % 16];
}

static __attribute__((noinline)) int take_much(int seven)
{
    volatile char frame[20000];
    frame[seven] = 1;
    return frame[seven + 1];
}

static __attribute__((noinline)) int store_to_constant(int seven)
{
    *(volatile int *)&constant[seven % 4] = 0;
    return 0;
}

static __attribute__((noinline)) int trap(int seven)
{
    if (seven < 1000)
        __builtin_trap();
    return 0;
}

static __attribute__((noinline)) int assert_more(int seven)
{
    assert(seven > 1000);
    return seven;
}

static __attribute__((noinline)) int give_up(int seven)
{
    if (seven < 1000)
        abort();
    return seven;
}

static __attribute__((noinline)) int run_dry(int seven)
{
    if (seven < 1000)
        gio_panic("the pump has no water");
    return seven;
}

static kind *const kinds[] = {
    load_null, recurse, take_much, store_to_constant, trap, assert_more, give_up, run_dry,
};

void fault(void)
{
    gio_id own = 0;
    gio_own(&own);
    unsigned life = own >> 16;
    if (life < sizeof kinds / sizeof *kinds)
        gio_log(kinds[life](life) ? "outlived it" : "outlived");
    else
        gio_log("all done");
}
