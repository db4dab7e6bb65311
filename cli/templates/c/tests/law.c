/* `giornata test` compiles this for the host, with the sources that it names, and runs
 * it: all is well if it ends with 0. */

#include "../src/device.c"
#include "../src/law.c"

#include <assert.h>

static void the_valve_opens_the_further_the_more_is_missing(void)
{
    assert(opening_for(0) == 1000);
    assert(opening_for(900) == 400);
    assert(opening_for(WANTED) == 0);
    assert(opening_for(WANTED + 300) == 0);
}

static void the_tank_fills_to_where_pump_and_drain_are_even_and_never_overflows(void)
{
    int32_t at = 0;
    for (int step = 0; step < 300; step++) {
        at = read_level();
        assert(at < WANTED);
        move_valve(opening_for(at));
    }
    assert(at > 900);
}

int main(void)
{
    the_valve_opens_the_further_the_more_is_missing();
    the_tank_fills_to_where_pump_and_drain_are_even_and_never_overflows();
    return 0;
}
