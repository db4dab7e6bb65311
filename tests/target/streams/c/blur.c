/* The filters of `mixed.sigma` that are in C. */
#include <giornata.h>

enum { WIDTH = 24 };
typedef struct { uint8_t pixels[WIDTH]; } line;
typedef struct { uint8_t pixels[WIDTH / 2]; } half;

/* The mean of two lines. */
void blur(const gio_port *ports)
{
    const gio_port *px = &ports[0], *out = &ports[1];
    const line *above = GIO_TAKE(line, px, 0), *below = GIO_TAKE(line, px, 1);
    line *to = GIO_PUT(line, out, 0);
    for (int x = 0; x < WIDTH; x++)
        to->pixels[x] = (uint8_t)((above->pixels[x] + below->pixels[x]) / 2);
}

/* The functions of one filter share what is static. */
static unsigned calls;

/* Takes one line, and puts every second pixel. */
void thin_0(const gio_port *ports)
{
    const line *from = GIO_TAKE(line, &ports[0], 0);
    half *to = GIO_PUT(half, &ports[1], 0);
    for (int x = 0; x < WIDTH / 2; x++)
        to->pixels[x] = from->pixels[2 * x];
    calls++;
}

/* Takes two, and puts the other pixels of both. */
void thin_1(const gio_port *ports)
{
    for (size_t i = 0; i < ports[0].count; i++) {
        const line *from = GIO_TAKE(line, &ports[0], i);
        half *to = GIO_PUT(half, &ports[1], i);
        for (int x = 0; x < WIDTH / 2; x++)
            to->pixels[x] = from->pixels[2 * x + 1];
    }
    if (++calls == 40)
        gio_log("20 cycles in C");
}
