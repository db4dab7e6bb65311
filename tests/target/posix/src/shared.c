/* Shared memory objects: POSIX.1 shm_open(), shm_unlink(), mmap(), munmap(), ftruncate(). */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == sizeof(long), "what the library takes");
_Static_assert(O_RDONLY == 0 && O_CREAT == 0x40 && O_TRUNC == 0x200 && O_EXCL == 0x800, "as it has them");

#define PAGE 4096

/* Whether a call has failed with an error. */
#define FAILS(call, error) (errno = 0, (call) == -1 && errno == (error))
#define FAILS_TO_MAP(call, error) (errno = 0, (call) == MAP_FAILED && errno == (error))

static void names(void)
{
    CHECK(FAILS(shm_open("/one", O_RDWR, 0), ENOENT));
    int one = shm_open("/one", O_RDWR | O_CREAT, 0600);
    CHECK(one > 2);
    CHECK(FAILS(shm_open("/one", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST));
    int again = shm_open("/one", O_RDONLY, 0);
    CHECK(again > 2 && again != one);
    CHECK(shm_unlink("/one") == 0);
    CHECK(FAILS(shm_unlink("/one"), ENOENT));
    CHECK(FAILS(shm_open("/one", O_RDWR, 0), ENOENT));
    /* the name is free for another object, and this one still there */
    int other = shm_open("/one", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(other > 2);
    CHECK(ftruncate(one, 1) == 0 && ftruncate(other, 1) == 0);
    char *first = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, one, 0);
    char *second = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
    CHECK(first != MAP_FAILED && second != MAP_FAILED && first != second);
    CHECK(munmap(first, 1) == 0 && munmap(second, 1) == 0);
    CHECK(close(one) == 0 && close(again) == 0 && close(other) == 0);
    CHECK(FAILS(close(one), EBADF));
    CHECK(shm_unlink("/one") == 0);
    CHECK(FAILS(shm_open("", O_RDWR | O_CREAT, 0600), EINVAL));
    CHECK(FAILS(shm_open("/of-more-bytes-than-a-name-can-have", O_RDWR, 0), ENAMETOOLONG));
    CHECK(FAILS(shm_open("/one", O_WRONLY | O_CREAT, 0600), EINVAL));
    tell("names");
}

static void memory(void)
{
    int file = shm_open("/plant", O_RDWR | O_CREAT, 0600);
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0), ENXIO));
    CHECK(ftruncate(file, 2 * PAGE) == 0);
    char *all = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    char *half = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, PAGE);
    CHECK(all != MAP_FAILED && all[0] == 0 && all[2 * PAGE - 1] == 0);
    CHECK(half == all + PAGE);
    strcpy(half - 3, "level");
    CHECK(close(file) == 0 && munmap(half, PAGE) == 0);
    /* a mapping outlives the descriptor, and what it holds the mapping */
    CHECK(strcmp(all + PAGE - 3, "level") == 0);
    CHECK(munmap(all, 2 * PAGE) == 0);
    int reader = shm_open("/plant", O_RDONLY, 0);
    const char *seen = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, reader, 0);
    CHECK(seen == all && strcmp(seen + PAGE - 3, "level") == 0);
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_WRITE, MAP_SHARED, reader, 0), EACCES));
    CHECK(FAILS(ftruncate(reader, 1), EINVAL));
    CHECK(munmap((void *)seen, PAGE) == 0 && close(reader) == 0);
    file = shm_open("/plant", O_RDWR | O_TRUNC, 0);
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0), ENXIO));
    CHECK(FAILS(ftruncate(file, -1), EINVAL) && FAILS(ftruncate(file, LONG_MAX), ENOMEM));
    CHECK(FAILS(ftruncate(1, 1), EBADF) && FAILS(ftruncate(-1, 1), EBADF));
    CHECK(close(file) == 0 && shm_unlink("/plant") == 0);
    tell("memory");
}

static void arguments(void)
{
    int file = shm_open("/any", O_RDWR | O_CREAT, 0600);
    CHECK(ftruncate(file, PAGE) == 0);
    CHECK(FAILS_TO_MAP(mmap(NULL, 0, PROT_READ, MAP_SHARED, file, 0), EINVAL));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 1), EINVAL));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED, file, -PAGE), EINVAL));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, 0, file, 0), EINVAL));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0), ENOTSUP));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0), ENOTSUP));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED, 1, 0), ENODEV));
    CHECK(FAILS_TO_MAP(mmap(NULL, 1, PROT_READ, MAP_SHARED, -1, 0), EBADF));
    CHECK(FAILS_TO_MAP(mmap(NULL, PAGE + 1, PROT_READ, MAP_SHARED, file, 0), ENXIO));
    CHECK(FAILS_TO_MAP(mmap(NULL, (size_t)-1, PROT_READ, MAP_SHARED, file, 0), ENXIO));
    char *all = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
    CHECK(FAILS(munmap(all, 0), EINVAL) && FAILS(munmap(all + 1, 1), EINVAL));
    CHECK(munmap(all, PAGE) == 0);
    /* where nothing is mapped nothing happens */
    CHECK(munmap(all, PAGE) == 0 && munmap(NULL, PAGE) == 0);
    CHECK(close(file) == 0 && shm_unlink("/any") == 0);
    tell("arguments");
}

/* Whatever is given back can be had again: there is room for eight objects, and no more. */
static void room(void)
{
    char name[] = "/0";
    int files[9];
    int rounds = 0;
    for (; rounds < 50; rounds++) {
        int file = shm_open("/big", O_RDWR | O_CREAT, 0600);
        if (file < 0 || ftruncate(file, 4 * PAGE) != 0 || close(file) != 0 || shm_unlink("/big") != 0)
            break;
    }
    CHECK(rounds == 50);
    for (int i = 0; i < 8; i++, name[1]++)
        files[i] = shm_open(name, O_RDWR | O_CREAT, 0600);
    CHECK(files[0] > 2 && files[7] > 2);
    CHECK(FAILS(shm_open(name, O_RDWR | O_CREAT, 0600), ENFILE));
    for (int i = 0; i < 8; i++)
        CHECK(shm_open("/0", O_RDONLY, 0) > 2);
    CHECK(FAILS(shm_open("/0", O_RDONLY, 0), EMFILE));
    CHECK(sysconf(_SC_MAPPED_FILES) > 0 && sysconf(_SC_SHARED_MEMORY_OBJECTS) > 0);
    tell("room");
}

int main(void)
{
    names();
    memory();
    arguments();
    room();
    return 0;
}
