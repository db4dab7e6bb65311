/* What the C library's scanf() lacks: conversions to long double, which has 128 bits here. A
 * format without any goes to the library as it is; of another, what is between two of them goes
 * to it by itself. */

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __real_vfscanf(FILE *stream, const char *format, va_list arguments);
int __wrap_vfscanf(FILE *stream, const char *format, va_list arguments);

/* Bytes of a directive at most, and of a number. */
#define LONGEST 96

/* (a va_list itself is an array on some machines, and is then no value) */
struct arguments {
    va_list list;
};

/* What has come of a format so far. */
struct input {
    FILE *stream;
    int bytes, stored;
    bool is_over, has_failed;
};

/* Where a directive ends that begins with `%`; whether it is a conversion to long double,
 * stores nothing, or is `%n`. */
struct directive {
    const char *end;
    bool is_long_double, is_silent, is_count;
    int width;
};

static struct directive read_directive(const char *format)
{
    struct directive directive = { .width = LONGEST };
    const char *at = format + 1;
    if (*at == '*') {
        directive.is_silent = true;
        at++;
    }
    if (isdigit((unsigned char)*at))
        directive.width = (int)strtol(at, (char **)&at, 10);
    bool is_long = *at == 'L';
    at += strspn(at, "hljztL");
    directive.is_long_double = is_long && *at != 0 && strchr("aAeEfFgG", *at) != NULL;
    directive.is_count = *at == 'n';
    if (*at == '[') {
        at += at[1] == '^' ? 2 : 1;
        at += *at == ']';
        at += strcspn(at, "]");
    }
    directive.is_silent |= *at == '%';
    directive.end = *at ? at + 1 : at;
    return directive;
}

static int get(struct input *input)
{
    int byte = getc(input->stream);
    if (byte == EOF)
        input->is_over = true;
    else
        input->bytes++;
    return byte;
}

static void unget(struct input *input, int byte)
{
    if (byte != EOF) {
        ungetc(byte, input->stream);
        input->bytes--;
    }
}

/* The longest text that can be, or begin, a number as strtold() reads it. */
static size_t read_number(struct input *input, char *text, int width)
{
    const char *digits = "0123456789";
    size_t length = 0;
    bool has_point = false, has_exponent = false, is_hexadecimal = false, is_word = false;
    int byte;
    width = width < LONGEST - 1 ? width : LONGEST - 1;
    do
        byte = get(input);
    while (byte != EOF && isspace(byte));
    while (byte != EOF) {
        int small = tolower(byte), last = length > 0 ? tolower((unsigned char)text[length - 1]) : 0;
        char mark = is_hexadecimal ? 'p' : 'e';
        if ((int)length >= width)
            break;
        if (byte == '+' || byte == '-') {
            if (length != 0 && !(has_exponent && last == mark))
                break;
        } else if (is_word || (isalpha(byte) && strchr("in", small) && (length == 0 || !isalnum(last)))) {
            is_word = true;
            if (!isalpha(byte))
                break;
        } else if (byte == '.') {
            if (has_point || has_exponent)
                break;
            has_point = true;
        } else if (small == 'x') {
            if (last != '0' || is_hexadecimal || length > 2 || has_point)
                break;
            is_hexadecimal = true;
            digits = "0123456789abcdef";
        } else if (small == mark && !has_exponent && length > 0) {
            has_exponent = true;
            digits = "0123456789";
        } else if (small == 0 || strchr(digits, small) == NULL) {
            break;
        }
        text[length++] = (char)byte;
        byte = get(input);
    }
    unget(input, byte);
    text[length] = 0;
    return length;
}

static void get_long_double(struct input *input, const struct directive *directive,
                            long double *where)
{
    char text[LONGEST], *end = text;
    size_t length = read_number(input, text, directive->width);
    long double value = length > 0 ? strtold(text, &end) : 0;
    if (end == text || *end != 0) {
        input->has_failed = true;
        return;
    }
    if (where != NULL) {
        *where = value;
        input->stored++;
    }
}

static int scan(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int stored = __real_vfscanf(stream, format, list);
    va_end(list);
    return stored;
}

/* A directive of the library, or the text up to the next, and how many bytes it took. */
static void get_other(struct input *input, const char *format, size_t length, void *where,
                      bool is_silent)
{
    char text[LONGEST + 3];
    int bytes = -1;
    if (length > LONGEST) {
        input->has_failed = true;
        return;
    }
    memcpy(text, format, length);
    strcpy(text + length, "%n");
    int stored = is_silent ? scan(input->stream, text, &bytes)
                           : scan(input->stream, text, where, &bytes);
    if (bytes < 0) {
        input->has_failed = true;
        input->is_over |= stored == EOF;
        return;
    }
    input->bytes += bytes;
    input->stored += is_silent ? 0 : 1;
}

static bool is_usual(const char *format)
{
    while ((format = strchr(format, '%')) != NULL) {
        struct directive directive = read_directive(format);
        if (directive.is_long_double)
            return false;
        format = directive.end;
    }
    return true;
}

static __attribute__((noinline)) int read(FILE *stream, const char *format, va_list list)
{
    struct input input = { .stream = stream };
    struct arguments arguments;
    va_copy(arguments.list, list);
    while (*format && !input.has_failed) {
        if (*format != '%') {
            size_t length = strcspn(format, "%");
            length = length < LONGEST ? length : LONGEST;
            get_other(&input, format, length, NULL, true);
            format += length;
            continue;
        }
        struct directive directive = read_directive(format);
        void *where = directive.is_silent ? NULL : va_arg(arguments.list, void *);
        if (directive.is_long_double)
            get_long_double(&input, &directive, where);
        else if (directive.is_count)
            *(int *)where = input.bytes;
        else
            get_other(&input, format, (size_t)(directive.end - format), where,
                      directive.is_silent);
        format = directive.end;
    }
    va_end(arguments.list);
    return input.is_over && input.stored == 0 && input.has_failed ? EOF : input.stored;
}

int __wrap_vfscanf(FILE *stream, const char *format, va_list arguments)
{
    return is_usual(format) ? __real_vfscanf(stream, format, arguments)
                            : read(stream, format, arguments);
}
