/* What compilers of C++ call, and what the headers of the C++ library call of its archive, as
 * far as there is something to do without exceptions: what would throw one ends the process.
 * Without a C library there is no heap, so no operator new. A program that brings its own of
 * any of these has its own. */

#include <giornata.h>

#define OVERRIDABLE __attribute__((weak))

namespace {

[[noreturn]] void fail(const char *why)
{
    gio_fail(why, "<C++>", 0);
}

} // namespace

extern "C" {

OVERRIDABLE void *__dso_handle;

OVERRIDABLE void __cxa_pure_virtual()
{
    fail("a function that is pure virtual was called");
}

OVERRIDABLE void __cxa_deleted_virtual()
{
    fail("a virtual function that is deleted was called");
}

OVERRIDABLE void __cxa_throw_bad_array_new_length()
{
    fail("std::bad_array_new_length");
}

/* Variables of functions, which the first that comes there initialises: in the first byte of a
 * guard compilers look whether that has been done; the word behind is not 0 while it is. Who
 * comes meanwhile looks again every millisecond. */

OVERRIDABLE int __cxa_guard_acquire(uint32_t *guard)
{
    for (;;) {
        uint32_t idle = 0;
        if (__atomic_load_n(reinterpret_cast<unsigned char *>(guard), __ATOMIC_ACQUIRE) != 0)
            return 0;
        if (__atomic_compare_exchange_n(&guard[1], &idle, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            /* (somebody else may have done it in between) */
            if (__atomic_load_n(reinterpret_cast<unsigned char *>(guard), __ATOMIC_ACQUIRE) == 0)
                return 1;
            __atomic_store_n(&guard[1], 0, __ATOMIC_RELEASE);
            return 0;
        }
        if (start_timer(1000000) != GIO_DONE)
            fail("a driver needs a variable that a thread initialises");
    }
}

OVERRIDABLE void __cxa_guard_release(uint32_t *guard)
{
    __atomic_store_n(reinterpret_cast<unsigned char *>(guard), 1, __ATOMIC_RELEASE);
    __atomic_store_n(&guard[1], 0, __ATOMIC_RELEASE);
}

OVERRIDABLE void __cxa_guard_abort(uint32_t *guard)
{
    __atomic_store_n(&guard[1], 0, __ATOMIC_RELEASE);
}

} // extern "C"

namespace std {

typedef decltype(sizeof 0) size_type;
enum class align_val_t : size_type;
struct nothrow_t {
    explicit nothrow_t() = default;
};
extern OVERRIDABLE const nothrow_t nothrow;
const nothrow_t nothrow{};

#define THROWS(name) \
    [[noreturn]] OVERRIDABLE void __throw_##name() { fail("std::" #name); }
#define THROWS_TEXT(name) \
    [[noreturn]] OVERRIDABLE void __throw_##name(const char *text) { (void)text; fail("std::" #name); }

THROWS(bad_alloc)
THROWS(bad_array_new_length)
THROWS(bad_cast)
THROWS(bad_exception)
THROWS(bad_function_call)
THROWS(bad_typeid)
THROWS_TEXT(domain_error)
THROWS_TEXT(invalid_argument)
THROWS_TEXT(length_error)
THROWS_TEXT(logic_error)
THROWS_TEXT(out_of_range)
THROWS_TEXT(overflow_error)
THROWS_TEXT(range_error)
THROWS_TEXT(runtime_error)
THROWS_TEXT(underflow_error)

[[noreturn]] OVERRIDABLE void __throw_out_of_range_fmt(const char *text, ...)
{
    (void)text;
    fail("std::out_of_range");
}

[[noreturn]] OVERRIDABLE void __throw_system_error(int)
{
    fail("std::system_error");
}

[[noreturn]] OVERRIDABLE void __glibcxx_assert_fail(const char *file, int line, const char *, const char *condition) noexcept
{
    gio_fail(condition, file, line);
}

[[noreturn]] OVERRIDABLE void terminate() noexcept
{
    fail("std::terminate()");
}

} // namespace std

#if __STDC_HOSTED__

#include <errno.h>
#include <stdlib.h>

namespace {

void *allocate(std::size_type bytes) noexcept
{
    return malloc(bytes != 0 ? bytes : 1);
}

void *allocate(std::size_type bytes, std::align_val_t alignment) noexcept
{
    auto multiple = static_cast<std::size_type>(alignment);
    return aligned_alloc(multiple, (bytes + multiple) & ~(multiple - 1));
}

void *needed(void *memory)
{
    if (memory == nullptr)
        fail("operator new: the heap has no room");
    return memory;
}

} // namespace

#define ALIGN , std::align_val_t alignment
#define NOTHROW , const std::nothrow_t &
OVERRIDABLE void *operator new(std::size_type bytes) { return needed(allocate(bytes)); }
OVERRIDABLE void *operator new[](std::size_type bytes) { return needed(allocate(bytes)); }
OVERRIDABLE void *operator new(std::size_type bytes NOTHROW) noexcept { return allocate(bytes); }
OVERRIDABLE void *operator new[](std::size_type bytes NOTHROW) noexcept { return allocate(bytes); }
OVERRIDABLE void *operator new(std::size_type bytes ALIGN) { return needed(allocate(bytes, alignment)); }
OVERRIDABLE void *operator new[](std::size_type bytes ALIGN) { return needed(allocate(bytes, alignment)); }
OVERRIDABLE void *operator new(std::size_type bytes ALIGN NOTHROW) noexcept { return allocate(bytes, alignment); }
OVERRIDABLE void *operator new[](std::size_type bytes ALIGN NOTHROW) noexcept { return allocate(bytes, alignment); }
#define RELEASE(memory) free(memory)

#else

extern "C" {

/* (the process does not end, so nothing is destroyed) */
OVERRIDABLE int __cxa_atexit(void (*)(void *), void *, void *)
{
    return 0;
}

[[noreturn]] OVERRIDABLE void abort()
{
    fail("abort()");
}

} // extern "C"

/* Destructors that are virtual mention it, whether it is ever called or not. */
#define RELEASE(memory) \
    do { \
        if ((memory) != nullptr) \
            fail("operator delete: there is no operator new without a C library"); \
    } while (0)

#endif

OVERRIDABLE void operator delete(void *memory) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete[](void *memory) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete(void *memory, std::size_type) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete[](void *memory, std::size_type) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete(void *memory, std::align_val_t) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete[](void *memory, std::align_val_t) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete(void *memory, std::size_type, std::align_val_t) noexcept { RELEASE(memory); }
OVERRIDABLE void operator delete[](void *memory, std::size_type, std::align_val_t) noexcept { RELEASE(memory); }
