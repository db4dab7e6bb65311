/* The allocator of runtime/malloc.c on the host: random calls, seeds from the command line,
 * against what every block was filled with. After each call the whole heap is walked. */

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

/* The functions under test have other names than those of the host. */
#define malloc tested_malloc
#define free tested_free
#define calloc tested_calloc
#define realloc tested_realloc
#define memalign tested_memalign
#define aligned_alloc tested_aligned_alloc
#define posix_memalign tested_posix_memalign
#define malloc_usable_size tested_usable_size
#define mallinfo(none) tested_mallinfo(none)
#define sbrk tested_sbrk

/* The memory that the kernel gives: so much, and now and then somebody else takes some. */
#define QUOTA 20000
static _Alignas(16) char memory[2 * QUOTA];
static size_t given, skipped;

static void *sbrk(intptr_t bytes)
{
    if (bytes < 0 || given + (size_t)bytes > QUOTA)
        return (void *)-1;
    char *place = memory + given + skipped;
    memset(place, 0, (size_t)bytes);
    given += (size_t)bytes;
    return place;
}

static int depth;

void __retarget_lock_acquire_recursive(void *lock)
{
    (void)lock;
    depth++;
}

void __retarget_lock_release_recursive(void *lock)
{
    (void)lock;
    depth--;
}

_Noreturn void gio_fail(const char *text, const char *file, int line)
{
    fprintf(stderr, "%s (%s, %d)\n", text, file, line);
    exit(1);
}

#include "../runtime/malloc.c"

static unsigned long state;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d, seed %lu: %s\n", __LINE__, seed, #condition); \
            exit(1); \
        } \
    } while (0)

static unsigned long seed;

#define BLOCKS 40
static struct held {
    unsigned char *bytes;
    size_t count;
    unsigned char filled;
} held[BLOCKS];

static void fill(struct held *block)
{
    block->filled = (unsigned char)draw(256);
    if (block->count != 0)
        memset(block->bytes, block->filled, block->count);
}

static size_t intact(const struct held *block)
{
    size_t good = 0;
    while (good < block->count && block->bytes[good] == block->filled)
        good++;
    return good;
}

/* Every free block is in its list, no two are neighbours, and the counts are right. */
static void walk(uintptr_t first)
{
    size_t listed = 0, found = 0, used = 0;
    for (unsigned power = 0; power < POWERS; power++) {
        CHECK(!(powers >> power & 1) == (parts[power] == 0));
        for (unsigned part = 0; part < PARTS; part++) {
            CHECK(!(parts[power] >> part & 1) == (lists[power][part] == NULL));
            for (struct block *block = lists[power][part]; block != NULL; block = block->next) {
                unsigned of_power, of_part;
                list_of(size_of((uintptr_t)block), &of_power, &of_part);
                CHECK(of_power == power && of_part == part);
                CHECK(*head((uintptr_t)block) & FREE);
                CHECK(block->next == NULL || block->next->previous == block);
                listed++;
            }
        }
    }
    for (uintptr_t block = first; block != end; block = behind(block)) {
        int is_free = *head(block) & FREE;
        CHECK(size_of(block) % GRAIN == 0 && size_of(block) >= LEAST && behind(block) <= end);
        CHECK(!is_free == !(*head(behind(block)) & BEHIND_FREE));
        CHECK(!is_free || (*before(behind(block)) == size_of(block) && !(*head(behind(block)) & FREE)));
        found += is_free != 0;
        used += is_free ? 0 : size_of(block);
    }
    CHECK(size_of(end) == 0);
    if (skipped == 0) {
        CHECK(listed == found);
        CHECK(used == in_use);
    }
}

static void step(void)
{
    struct held *block = &held[draw(BLOCKS)];
    size_t bytes = draw(8) == 0 ? draw(4000) : draw(200);
    if (block->bytes == NULL) {
        size_t alignment = 16;
        int is_clear = 0;
        switch (draw(4)) {
        case 0:
            is_clear = 1;
            block->bytes = calloc(1 + draw(3), bytes / 3);
            bytes /= 3;
            break;
        case 1:
            alignment = (size_t)16 << draw(5);
            block->bytes = aligned_alloc(alignment, bytes);
            break;
        default:
            block->bytes = malloc(bytes);
        }
        block->count = block->bytes == NULL ? 0 : bytes;
        CHECK((uintptr_t)block->bytes % alignment == 0);
        CHECK(malloc_usable_size(block->bytes) >= block->count);
        for (size_t i = 0; is_clear && i < block->count; i++)
            CHECK(block->bytes[i] == 0);
        fill(block);
    } else {
        CHECK(intact(block) == block->count);
        if (draw(2) == 0) {
            unsigned char *moved = realloc(block->bytes, bytes + 1);
            if (moved != NULL) {
                size_t kept = block->count < bytes + 1 ? block->count : bytes + 1;
                block->bytes = moved;
                block->count = kept;
                CHECK(intact(block) == kept && (uintptr_t)moved % 16 == 0);
                block->count = bytes + 1;
                fill(block);
            }
        } else {
            free(block->bytes);
            block->bytes = NULL;
        }
    }
}

int main(int count, char **words)
{
    for (seed = 1; seed <= strtoul(count > 1 ? words[1] : "200", NULL, 10); seed++) {
        state = seed;
        memset(lists, 0, sizeof lists);
        memset(parts, 0, sizeof parts);
        memset(held, 0, sizeof held);
        powers = 0;
        end = given = skipped = from_kernel = in_use = 0;
        uintptr_t first = (uintptr_t)memory + GRAIN;
        for (int i = 0; i < 2000; i++) {
            if (seed % 4 == 0 && draw(500) == 0)
                skipped += 16 * draw(8) + draw(2);
            step();
            CHECK(depth == 0);
            if (skipped == 0 && end != 0)
                walk(first);
        }
        for (int i = 0; i < BLOCKS; i++) {
            CHECK(held[i].bytes == NULL || intact(&held[i]) == held[i].count);
            free(held[i].bytes);
        }
        CHECK(in_use == 0);
        /* all of it is one block again */
        if (skipped == 0 && end != 0) {
            walk(first);
            CHECK(size_of(first) == end - first);
        }
        errno = 0;
        CHECK(malloc(QUOTA) == NULL && errno == ENOMEM);
        CHECK(malloc(SIZE_MAX) == NULL && calloc(SIZE_MAX / 2, 3) == NULL);
        void *place = &place;
        CHECK(posix_memalign(&place, 3, 8) == EINVAL && posix_memalign(&place, 24, 8) == EINVAL);
    }
    return 0;
}
