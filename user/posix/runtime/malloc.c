/* malloc() and its kin: every function takes a bounded time, whatever was allocated before,
 * besides what it copies or clears.
 *
 * A block is what lies from one multiple of 16, where its caller's bytes begin, to the next
 * that begins a block. Its last word is the head of the next one: the bytes of that, and
 * whether it and the one before are free. The word before that says how many bytes a free
 * block has; one that is in use has it, too. So a block costs a word, and what malloc() returns
 * suits every type. Free blocks are in lists by size: four to each power of two, found by bits
 * of two levels (Masmano, Ripoll, Crespo, Real: TLSF, ECRTS 2004). A block that becomes free is
 * one with those beside it at once. The last head of the heap is of a block without bytes.
 *
 * What is called "inside" has the library's lock. */

#include <errno.h>
#include <giornata.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/lock.h>
#include <unistd.h>

#define GRAIN 16u
#define WORD sizeof(size_t)
/* Bits of a head. */
#define FREE 1u
#define BEHIND_FREE 2u
#define FLAGS (FREE | BEHIND_FREE)
/* A free block has two pointers, its bytes and the next head. */
#define LEAST ((2 * sizeof(void *) + 2 * WORD + GRAIN - 1) / GRAIN * GRAIN)
/* More than any memory has. */
#define MOST ((size_t)1 << 28)
#define POWERS 23
#define PARTS 4
/* Blocks of a list that are looked at if no longer list has any. */
#define TRIES 16

/* A free block, at the place where a caller's bytes begin in one that is in use. */
struct block {
    struct block *next, *previous;
} __attribute__((__may_alias__));
typedef size_t __attribute__((__may_alias__)) head_t;

static struct block *lists[POWERS][PARTS];
static unsigned char parts[POWERS];
static uint32_t powers;
/* The block without bytes; 0: there is no heap yet. */
static uintptr_t end;
static size_t from_kernel, in_use;

static inline head_t *head(uintptr_t block)
{
    return (head_t *)(block - WORD);
}

static inline size_t size_of(uintptr_t block)
{
    return *head(block) & ~(size_t)FLAGS;
}

static inline uintptr_t behind(uintptr_t block)
{
    return block + size_of(block);
}

/* The bytes of the block before, if that is free. */
static inline head_t *before(uintptr_t block)
{
    return (head_t *)(block - 2 * WORD);
}

/* The list of a size: of `size` and more, but less than the next. */
static inline void list_of(size_t size, unsigned *power, unsigned *part)
{
    unsigned units = (unsigned)(size / GRAIN);
    if (units < PARTS) {
        *power = 0;
        *part = units;
    } else {
        unsigned log = 31 - (unsigned)__builtin_clz(units);
        *power = log - 1;
        *part = units >> (log - 2) & (PARTS - 1);
    }
}

static void insert(uintptr_t address)
{
    struct block *block = (struct block *)address;
    unsigned power, part;
    list_of(size_of(address), &power, &part);
    block->previous = NULL;
    block->next = lists[power][part];
    if (block->next != NULL)
        block->next->previous = block;
    lists[power][part] = block;
    parts[power] |= (unsigned char)(1u << part);
    powers |= 1u << power;
}

static void take_out(uintptr_t address)
{
    struct block *block = (struct block *)address;
    unsigned power, part;
    list_of(size_of(address), &power, &part);
    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else if ((lists[power][part] = block->next) == NULL) {
        parts[power] &= (unsigned char)~(1u << part);
        if (parts[power] == 0)
            powers &= ~(1u << power);
    }
}

/* The block of these bytes is free, and none beside it is. */
static void set_free(uintptr_t block, size_t size)
{
    *head(block) = size | FREE | (*head(block) & BEHIND_FREE);
    *before(block + size) = size;
    *head(block + size) |= BEHIND_FREE;
    insert(block);
}

/* As set_free(), with those beside it. */
static void release(uintptr_t block)
{
    uintptr_t next = behind(block);
    /* (what is given back twice shows, too, where the block is part of another by then) */
    *head(block) |= FREE;
    if (*head(next) & FREE) {
        take_out(next);
        next = behind(next);
    }
    if (*head(block) & BEHIND_FREE) {
        block -= *before(block);
        take_out(block);
    }
    set_free(block, next - block);
}

/* A block that is in use has so many bytes, and the rest of it is free, if that is a block. */
static void cut(uintptr_t block, size_t size)
{
    size_t rest = size_of(block) - size;
    if (rest >= LEAST) {
        *head(block) -= rest;
        *head(block + size) = rest;
        release(block + size);
    }
}

/* A free block of at least so many bytes, which are in use now; 0: there is none. */
static uintptr_t find(size_t size)
{
    unsigned power, part;
    struct block *found = NULL;
    /* (any block of the list that begins there) */
    size_t units = size / GRAIN;
    size_t step = units < PARTS ? 0 : ((size_t)1 << (29 - __builtin_clz((unsigned)units))) - 1;
    list_of(size + step * GRAIN, &power, &part);
    if (power < POWERS) {
        unsigned fitting = parts[power] & ~0u << part;
        if (fitting == 0) {
            uint32_t larger = powers & ~1u << power;
            if (larger != 0) {
                power = (unsigned)__builtin_ctz(larger);
                fitting = parts[power];
            }
        }
        if (fitting != 0)
            found = lists[power][__builtin_ctz(fitting)];
    }
    if (found == NULL) {
        list_of(size, &power, &part);
        found = lists[power][part];
        for (int tries = TRIES; found != NULL && size_of((uintptr_t)found) < size; found = found->next)
            if (--tries == 0)
                return 0;
    }
    if (found == NULL)
        return 0;
    uintptr_t block = (uintptr_t)found;
    take_out(block);
    *head(block) &= ~(size_t)FREE;
    *head(behind(block)) &= ~(size_t)BEHIND_FREE;
    return block;
}

/* The heap grows until its last block is free and has so many bytes. */
static int grow(size_t size)
{
    size_t has = end != 0 && *head(end) & BEHIND_FREE ? *before(end) : 0;
    size_t missing = size > has ? size - has : 0;
    if (end == 0)
        missing += GRAIN;
    uintptr_t fresh = (uintptr_t)sbrk((intptr_t)missing);
    if (fresh == (uintptr_t)-1)
        return 0;
    if (end == 0 || fresh != end) {
        /* (the first, or somebody else has taken memory meanwhile) */
        uintptr_t first = (fresh + GRAIN - 1) / GRAIN * GRAIN + GRAIN;
        if (end != 0) {
            size_t more = size + 2 * GRAIN;
            if (missing < more && (uintptr_t)sbrk((intptr_t)(more - missing)) != fresh + missing)
                return 0;
            missing = missing < more ? more : missing;
        }
        end = (fresh + missing) / GRAIN * GRAIN;
        if (end <= first || end - first < LEAST)
            return 0;
        *head(first) = end - first;
        *head(end) = 0;
        from_kernel += missing;
        release(first);
        return 1;
    }
    /* the block without bytes has some now */
    *head(end) |= missing;
    end += missing;
    *head(end) = 0;
    from_kernel += missing;
    release(end - missing);
    return 1;
}

/* The bytes of a block with room for so many; 0: there is no such. */
static size_t block_for(size_t bytes)
{
    if (bytes > MOST / 2)
        return 0;
    size_t size = (bytes + WORD + GRAIN - 1) / GRAIN * GRAIN;
    return size < LEAST ? LEAST : size;
}

/* Inside: a block that is in use, of so many bytes; 0: there is no room. */
static uintptr_t allocate(size_t size)
{
    uintptr_t block = find(size);
    if (block == 0 && (!grow(size) || (block = find(size)) == 0))
        return 0;
    cut(block, size);
    in_use += size_of(block);
    return block;
}

static void *lacking(void)
{
    errno = ENOMEM;
    return NULL;
}

static void *reserve(size_t bytes)
{
    size_t size = block_for(bytes);
    if (size == 0)
        return lacking();
    __retarget_lock_acquire_recursive(NULL);
    uintptr_t block = allocate(size);
    __retarget_lock_release_recursive(NULL);
    return block == 0 ? lacking() : (void *)block;
}

/* What a caller gives back, or asks about, is a block that is in use. */
static void check(uintptr_t block)
{
    if (block % GRAIN != 0 || *head(block) & FREE || size_of(block) < LEAST)
        gio_fail("memory is given back that malloc() has not given, or twice", "<stdlib.h>", 0);
}

void *malloc(size_t bytes)
{
    return reserve(bytes);
}

void free(void *memory)
{
    uintptr_t block = (uintptr_t)memory;
    if (memory == NULL)
        return;
    check(block);
    __retarget_lock_acquire_recursive(NULL);
    in_use -= size_of(block);
    release(block);
    __retarget_lock_release_recursive(NULL);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return lacking();
    void *memory = reserve(bytes);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

/* Inside: a block has so many bytes, or more, without being moved; or nothing happens. */
static int resize(uintptr_t block, size_t size)
{
    size_t had = size_of(block);
    uintptr_t next = behind(block);
    if (size > had) {
        uintptr_t last = *head(next) & FREE ? behind(next) : next;
        if (last == end && block + size > end && !grow(block + size - next))
            return 0;
        next = behind(block);
        if (!(*head(next) & FREE) || had + size_of(next) < size)
            return 0;
        take_out(next);
        *head(block) += size_of(next);
        *head(behind(block)) &= ~(size_t)BEHIND_FREE;
    }
    cut(block, size);
    in_use += size_of(block) - had;
    return 1;
}

void *realloc(void *memory, size_t bytes)
{
    uintptr_t block = (uintptr_t)memory;
    if (memory == NULL)
        return reserve(bytes);
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    check(block);
    size_t size = block_for(bytes);
    if (size == 0)
        return lacking();
    __retarget_lock_acquire_recursive(NULL);
    int is_done = resize(block, size);
    __retarget_lock_release_recursive(NULL);
    if (is_done)
        return memory;
    void *fresh = reserve(bytes);
    if (fresh != NULL) {
        memcpy(fresh, memory, size_of(block) - WORD);
        free(memory);
    }
    return fresh;
}

/* Memory at a multiple of `alignment`, a power of two. */
static void *reserve_aligned(size_t alignment, size_t bytes)
{
    size_t size = block_for(bytes);
    if (alignment <= GRAIN)
        return reserve(bytes);
    if (size == 0 || alignment > MOST / 4)
        return lacking();
    __retarget_lock_acquire_recursive(NULL);
    uintptr_t block = allocate(size + alignment + LEAST);
    if (block != 0) {
        uintptr_t place = (block + alignment - 1) & ~(uintptr_t)(alignment - 1);
        if (place != block && place - block < LEAST)
            place += alignment;
        in_use -= size_of(block);
        if (place != block) {
            *head(place) = behind(block) - place;
            *head(block) = (place - block) | (*head(block) & BEHIND_FREE);
            release(block);
            block = place;
        }
        cut(block, size);
        in_use += size_of(block);
    }
    __retarget_lock_release_recursive(NULL);
    return block == 0 ? lacking() : (void *)block;
}

void *memalign(size_t alignment, size_t bytes)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return reserve_aligned(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    int kept = errno;
    void *found = reserve_aligned(alignment, bytes);
    errno = kept;
    if (found == NULL)
        return ENOMEM;
    *memory = found;
    return 0;
}

size_t malloc_usable_size(void *memory)
{
    return memory == NULL ? 0 : size_of((uintptr_t)memory) - WORD;
}

/* What the heap has of the kernel, and how much of that is in use. */
struct mallinfo mallinfo(void)
{
    __retarget_lock_acquire_recursive(NULL);
    struct mallinfo info = {
        .arena = from_kernel, .uordblks = in_use, .fordblks = from_kernel - in_use
    };
    __retarget_lock_release_recursive(NULL);
    return info;
}
