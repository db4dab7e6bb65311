/* The experiment: n channels of two periodic tasks each, noise, and aperiodic arrivals. The
 * argument of the run: channels, and from bit 8 on after how many arrivals it ends. */
#include <string.h>

#include "arrivals.h"
#include "port.h"
#include "workload.h"

#define PERIOD 20
#define NOISE_PERIOD 32
#define NOISE_WORDS 512
#define MOST_CHANNELS 30

/* Exit codes. */
#define WRONG_OUTPUT 1
#define TOO_SLOW 2
#define BAD_ARGUMENT 3

struct channel {
    port_semaphore full, space;
    uint32_t frame[MOST_OUTPUT / 4];
    /* What comes next into the channel, and out of it. */
    uint32_t in, out;
    uint32_t coded[MOST_OUTPUT / 4];
    uint32_t state[MOST_STATE / 4];
};

static struct channel channels[MOST_CHANNELS];
static uint32_t count, arrivals_left, begun;
static uint32_t screen[NOISE_WORDS];
/* When the line rose, for the last arrivals; how many a task has answered. */
#define LAST 8
static uint32_t rises[LAST], arrived, answered;
static const uint32_t distances[] = ARRIVALS;

/* Treats a frame and hands it on. */
static void input(void *own)
{
    struct channel *channel = own;
    if (channel->in == 0)
        workload_begin((struct coder *)channel->state);
    workload_frame((struct coder *)channel->state, channel->in,
                   (uint8_t *)channel->coded);
    channel->in = (channel->in + 1) % FRAMES;
    port_pend(&channel->space);
    memcpy(channel->frame, channel->coded, workload_output_bytes);
    port_post(&channel->full);
}

/* Takes a frame, and checks it. */
static void output(void *own)
{
    struct channel *channel = own;
    port_pend(&channel->full);
    uint32_t sum = checksum(channel->frame, workload_output_bytes);
    port_post(&channel->space);
    if (sum != workload_golden[channel->out % FRAMES])
        leave(WRONG_OUTPUT);
    channel->out++;
}

/* A screen is drawn anew. */
static void draw(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < NOISE_WORDS; i++)
        screen[i] = screen[i] * 5 + 1;
}

static void arm(uint32_t since)
{
    uint32_t distance = distances[arrivals_left % (sizeof distances / sizeof *distances)];
    uint32_t passed = CYCLES - since;
    GENERATOR = distance > passed ? distance - passed : 1;
}

/* All channels are where they have to be by now, but for the frames under way. */
static bool is_in_time(void)
{
    uint32_t periods = (TIME - begun) / (PERIOD * CYCLES_PER_TICK);
    for (uint32_t i = 0; i < count; i++)
        if (channels[i].out + 2 < periods)
            return false;
    return true;
}

void on_arrival(void)
{
    uint32_t rise = GENERATOR;
    tell_response(rise);
    rises[arrived++ % LAST] = rise;
    GENERATOR_LOWER = 0;
    if (--arrivals_left == 0) {
        tell_end();
        leave(is_in_time() && port_late == 0 ? 0 : TOO_SLOW);
    }
    arm(rise);
}

void on_arrival_in_task(void)
{
    tell_task_response(rises[answered++ % LAST]);
}

int main(void)
{
    count = ARGUMENT & 0xFF;
    arrivals_left = ARGUMENT >> 8;
    if (count > MOST_CHANNELS || arrivals_left == 0)
        return BAD_ARGUMENT;
    workload_prepare();
    port_init();
    for (uint32_t i = 0; i < count; i++) {
        struct channel *channel = &channels[i];
        port_semaphore_create(&channel->full, 0);
        port_semaphore_create(&channel->space, 1);
        uint8_t first = (uint8_t)(1 + 2 * i);
        port_periodic(first, PERIOD, input, channel);
        port_periodic((uint8_t)(first + 1), PERIOD, output, channel);
    }
    port_periodic((uint8_t)(1 + 2 * count), NOISE_PERIOD, draw, 0);
    /* What a probe costs is the least cycles between two. */
    for (int i = 0; i < 4; i++)
        tell_begin();
    begun = TIME;
    arm(CYCLES);
    port_start();
}
