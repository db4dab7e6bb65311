/* Formatted log: gio_logf(). It is C because a function with `...` cannot be defined in
 * stable Rust; the builder compiles it with the sources of each process, and what is not
 * used is left out of the image. */

#include <giornata.h>
#include <stdbool.h>

/* A test on the host may have functions of its own instead. */
#if __STDC_HOSTED__
#define OVERRIDABLE __attribute__((weak))
#else
#define OVERRIDABLE
#endif

/* A text under way, with room for the last 0. */
struct text {
    char bytes[GIO_LOG_LONGEST + 1];
    size_t length;
    bool is_cut;
};

/* One conversion of a format: %-08.3lld */
struct conversion {
    bool is_left, has_zeros, has_base;
    const char *plus; /* what stands before a number that is not negative */
    size_t width;
    bool has_precision;
    size_t precision;
    enum { CHAR, SHORT, INT, LONG, LONG_LONG } size;
    char kind;
};

/* (a va_list itself is an array on some machines, and is then no value) */
struct arguments {
    va_list list;
};

static void put(struct text *text, char byte)
{
    if (text->length < GIO_LOG_LONGEST)
        text->bytes[text->length++] = byte;
    else
        text->is_cut = true;
}

static void put_all(struct text *text, const char *bytes, size_t count)
{
    while (count--)
        put(text, *bytes++);
}

static void repeat(struct text *text, char byte, size_t count)
{
    while (count--)
        put(text, byte);
}

/* The length of a string, not beyond a limit. */
static size_t length_of(const char *string, size_t limit)
{
    size_t length = 0;
    while (length < limit && string[length])
        length++;
    return length;
}

/* How much is missing to a width. */
static size_t missing(size_t width, size_t length)
{
    return width > length ? width - length : 0;
}

static void put_string(struct text *text, const struct conversion *how, const char *string)
{
    size_t limit = how->has_precision ? how->precision : GIO_LOG_LONGEST + 1;
    size_t length, space;

    if (!string)
        string = "(null)";
    length = length_of(string, limit);
    space = missing(how->width, length);
    repeat(text, ' ', how->is_left ? 0 : space);
    put_all(text, string, length);
    repeat(text, ' ', how->is_left ? space : 0);
}

/* A number: spaces, sign or base, zeros, digits, spaces. */
static void put_number(struct text *text, const struct conversion *how, const char *front, unsigned base, uint64_t number)
{
    const char *digits = how->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[22]; /* 64 bits in octal */
    size_t count = 0, front_length = length_of(front, 2), zeros, spaces;

    for (; number; number /= base)
        reversed[count++] = digits[number % base];
    zeros = missing(how->has_precision ? how->precision : 1, count);
    if (how->has_zeros && !how->is_left && !how->has_precision)
        zeros += missing(how->width, front_length + zeros + count);
    spaces = missing(how->width, front_length + zeros + count);
    repeat(text, ' ', how->is_left ? 0 : spaces);
    put_all(text, front, front_length);
    repeat(text, '0', zeros);
    while (count)
        put(text, reversed[--count]);
    repeat(text, ' ', how->is_left ? spaces : 0);
}

static int64_t signed_argument(const struct conversion *how, struct arguments *arguments)
{
    switch (how->size) {
    case LONG_LONG:
        return va_arg(arguments->list, long long);
    case LONG:
        return va_arg(arguments->list, long);
    case SHORT:
        return (short)va_arg(arguments->list, int);
    case CHAR:
        return (signed char)va_arg(arguments->list, int);
    default:
        return va_arg(arguments->list, int);
    }
}

static uint64_t unsigned_argument(const struct conversion *how, struct arguments *arguments)
{
    switch (how->size) {
    case LONG_LONG:
        return va_arg(arguments->list, unsigned long long);
    case LONG:
        return va_arg(arguments->list, unsigned long);
    case SHORT:
        return (unsigned short)va_arg(arguments->list, unsigned);
    case CHAR:
        return (unsigned char)va_arg(arguments->list, unsigned);
    default:
        return va_arg(arguments->list, unsigned);
    }
}

/* A width or precision: digits, or `*` for an argument. More than fits is as good as
 * what fits. */
static const char *read_number(const char *format, struct arguments *arguments, int *number)
{
    if (*format == '*') {
        *number = va_arg(arguments->list, int);
        format++;
    } else {
        for (*number = 0; *format >= '0' && *format <= '9'; format++)
            if (*number <= GIO_LOG_LONGEST)
                *number = *number * 10 + (*format - '0');
    }
    if (*number > GIO_LOG_LONGEST)
        *number = GIO_LOG_LONGEST;
    return format;
}

static const char *read_size(const char *format, struct conversion *how)
{
    how->size = INT;
    switch (*format) {
    case 'h':
        how->size = format[1] == 'h' ? CHAR : SHORT;
        return format + (format[1] == 'h' ? 2 : 1);
    case 'l':
        how->size = format[1] == 'l' ? LONG_LONG : LONG;
        return format + (format[1] == 'l' ? 2 : 1);
    case 'j':
        how->size = LONG_LONG;
        return format + 1;
    case 'z':
    case 't':
        how->size = LONG;
        return format + 1;
    default:
        return format;
    }
}

/* Reads what is between `%` and the end of a conversion; returns what is behind it. */
static const char *read_conversion(const char *format, struct arguments *arguments, struct conversion *how)
{
    int number;

    *how = (struct conversion){ .plus = "" };
    for (;; format++) {
        if (*format == '-')
            how->is_left = true;
        else if (*format == '0')
            how->has_zeros = true;
        else if (*format == '#')
            how->has_base = true;
        else if (*format == '+')
            how->plus = "+";
        else if (*format == ' ' && !*how->plus)
            how->plus = " ";
        else if (*format != ' ')
            break;
    }
    format = read_number(format, arguments, &number);
    if (number < 0) { /* of an argument: to the left, as in C */
        how->is_left = true;
        number = number < -GIO_LOG_LONGEST ? GIO_LOG_LONGEST : -number;
    }
    how->width = (size_t)number;
    if (*format == '.') {
        format = read_number(format + 1, arguments, &number);
        how->has_precision = number >= 0;
        how->precision = number < 0 ? 0 : (size_t)number;
    }
    format = read_size(format, how);
    how->kind = *format;
    return *format ? format + 1 : format;
}

static void put_unsigned(struct text *text, const struct conversion *how, uint64_t number)
{
    switch (how->kind) {
    case 'o':
        put_number(text, how, how->has_base && number ? "0" : "", 8, number);
        break;
    case 'u':
        put_number(text, how, "", 10, number);
        break;
    default:
        put_number(text, how, !how->has_base || !number ? "" : how->kind == 'X' ? "0X" : "0x", 16, number);
    }
}

/* Puts what a conversion says; false if there is no such conversion here. */
static bool convert(struct text *text, const struct conversion *how, struct arguments *arguments)
{
    int64_t number;
    char byte;

    switch (how->kind) {
    case 'd':
    case 'i':
        number = signed_argument(how, arguments);
        put_number(text, how, number < 0 ? "-" : how->plus, 10, number < 0 ? -(uint64_t)number : (uint64_t)number);
        return true;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        put_unsigned(text, how, unsigned_argument(how, arguments));
        return true;
    case 'p':
        put_number(text, how, "0x", 16, (uintptr_t)va_arg(arguments->list, void *));
        return true;
    case 's':
        if (how->size != INT)
            return false;
        put_string(text, how, va_arg(arguments->list, const char *));
        return true;
    case 'c':
        byte = (char)va_arg(arguments->list, int);
        repeat(text, ' ', how->is_left ? 0 : missing(how->width, 1));
        put(text, byte);
        repeat(text, ' ', how->is_left ? missing(how->width, 1) : 0);
        return true;
    case '%':
        put(text, '%');
        return true;
    default:
        return false;
    }
}

static void put_format(struct text *text, const char *format, struct arguments *arguments)
{
    while (*format) {
        struct conversion how;
        const char *behind;

        if (*format != '%') {
            put(text, *format++);
            continue;
        }
        behind = read_conversion(format + 1, arguments, &how);
        /* of one that is not known the argument's size is not known either */
        if (!convert(text, &how, arguments)) {
            put_all(text, format, length_of(format, GIO_LOG_LONGEST + 1));
            return;
        }
        format = behind;
    }
}

OVERRIDABLE void gio_vlogf(const char *format, va_list list)
{
    struct text text;
    struct arguments arguments;

    text.length = 0;
    text.is_cut = false;
    va_copy(arguments.list, list);
    put_format(&text, format, &arguments);
    va_end(arguments.list);
    for (size_t dot = 0; text.is_cut && dot < 3; dot++)
        text.bytes[GIO_LOG_LONGEST - 3 + dot] = '.';
    text.bytes[text.length] = 0;
    gio_log(text.bytes);
}

OVERRIDABLE void gio_logf(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    gio_vlogf(format, list);
    va_end(list);
}
