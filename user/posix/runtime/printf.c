/* What the C library's printf() lacks: conversions of long double, which has 128 bits here, and
 * `%n`. A format with neither goes to the library as it is; of another, every conversion that
 * the library has goes to it alone.
 *
 * All digits are exact, and the last is rounded to nearest, to even between two, as IEEE 754 has
 * it. A number as large or small as one of double takes some 0.8 KB of stack, any other up to
 * 8 KB of the heap: ENOMEM if it has no room. */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int __real_vfprintf(FILE *stream, const char *format, va_list arguments);
int __wrap_vfprintf(FILE *stream, const char *format, va_list arguments);

/* What is printed, and how much it was so far. */
struct output {
    FILE *stream;
    int count;
    bool has_failed;
};

/* One conversion of a format: %-08.3Lf */
struct conversion {
    bool is_left, has_zeros, is_alternate;
    char sign; /* what stands before a number that is not negative; 0: nothing */
    int width, precision; /* less than 0: there is none */
    char size[3];
    char kind;
};

/* (a va_list itself is an array on some machines, and is then no value) */
struct arguments {
    va_list list;
};

static void put(struct output *output, char byte)
{
    if (putc(byte, output->stream) == EOF)
        output->has_failed = true;
    output->count++;
}

static void repeat(struct output *output, char byte, int count)
{
    for (; count > 0; count--)
        put(output, byte);
}

/* A decimal number of words of nine digits: those before `point` are whole, the first is the
 * most significant. All that is not 0 lies from `first` to `end`. */
struct decimal {
    uint32_t *words;
    int first, point, end;
};

#define BILLION 1000000000u
#define DIGITS 9
/* Words that suffice for all numbers of double. */
#define USUAL 144

static void shift_left(struct decimal *number, int bits)
{
    uint32_t carry = 0;
    for (int i = number->end - 1; i >= number->first; i--) {
        uint64_t word = ((uint64_t)number->words[i] << bits) + carry;
        number->words[i] = (uint32_t)(word % BILLION);
        carry = (uint32_t)(word / BILLION);
    }
    if (carry != 0)
        number->words[--number->first] = carry;
}

/* By nine bits at most, which divide a billion. */
static void shift_right(struct decimal *number, int bits)
{
    uint32_t carry = 0;
    for (int i = number->first; i < number->end; i++) {
        uint32_t word = number->words[i];
        number->words[i] = (word >> bits) + carry;
        carry = (BILLION >> bits) * (word & ((1u << bits) - 1));
    }
    if (carry != 0)
        number->words[number->end++] = carry;
    while (number->first < number->end && number->words[number->first] == 0)
        number->first++;
}

/* The 113 bits of a number, the most significant word first, and what power of two the last
 * of them is. */
struct parts {
    bool is_negative, is_special;
    uint32_t bits[4];
    int exponent;
};

static struct parts parts_of(long double value)
{
    union {
        long double value;
        uint32_t words[4];
    } is = { value };
    struct parts parts = {
        .is_negative = is.words[3] >> 31,
        .bits = { is.words[3] & 0xFFFF, is.words[2], is.words[1], is.words[0] },
        .exponent = (int)(is.words[3] >> 16 & 0x7FFF),
    };
    parts.is_special = parts.exponent == 0x7FFF;
    if (parts.exponent == 0)
        parts.exponent = 1; /* subnormal */
    else
        parts.bits[0] |= 0x10000;
    parts.exponent -= 16383 + 112;
    return parts;
}

static bool is_zero(const struct parts *parts)
{
    return (parts->bits[0] | parts->bits[1] | parts->bits[2] | parts->bits[3]) == 0;
}

/* The words that a number needs, before the point and behind it. */
static void room_of(const struct parts *parts, int *whole, int *behind)
{
    *whole = parts->exponent > 0 ? (parts->exponent + 113) / 29 + 2 : 5;
    *behind = parts->exponent < 0 ? -parts->exponent / DIGITS + 2 : 0;
}

static void expand(struct decimal *number, const struct parts *parts)
{
    int exponent = parts->exponent;
    number->first = number->end = number->point;
    for (int i = 0; i < 4; i++) {
        uint32_t carry = parts->bits[i];
        /* times 2^32, which is more than shift_left() can take at once */
        for (int bits = i == 0 ? 0 : 32; bits > 0; bits -= 16)
            shift_left(number, 16);
        for (int word = number->point - 1; carry != 0; word--) {
            if (word < number->first)
                number->words[--number->first] = 0;
            uint64_t sum = (uint64_t)number->words[word] + carry;
            number->words[word] = (uint32_t)(sum % BILLION);
            carry = (uint32_t)(sum / BILLION);
        }
    }
    for (; exponent > 0; exponent -= exponent < 29 ? exponent : 29)
        shift_left(number, exponent < 29 ? exponent : 29);
    for (; exponent < 0; exponent += exponent > -DIGITS ? -exponent : DIGITS)
        shift_right(number, exponent > -DIGITS ? -exponent : DIGITS);
}

/* The word that has the digit of 10^place, and what its unit there is. */
static int word_of(const struct decimal *number, int place, uint32_t *unit)
{
    int word = place >= 0 ? place / DIGITS : -((DIGITS - 1 - place) / DIGITS);
    *unit = 1;
    for (int i = place - word * DIGITS; i > 0; i--)
        *unit *= 10;
    return number->point - 1 - word;
}

static unsigned digit(const struct decimal *number, int place)
{
    uint32_t unit;
    int word = word_of(number, place, &unit);
    return word < number->first || word >= number->end ? 0 : number->words[word] / unit % 10;
}

/* The place of the first digit that is not 0; 0 if there is none. */
static int first_place(const struct decimal *number)
{
    if (number->first >= number->end)
        return 0;
    int place = (number->point - 1 - number->first) * DIGITS;
    for (uint32_t word = number->words[number->first]; word >= 10; word /= 10)
        place++;
    return place;
}

/* Nothing is left behind the digit of 10^place, which is rounded. */
static void round_to(struct decimal *number, int place)
{
    uint32_t unit;
    int word = word_of(number, place, &unit);
    if (word >= number->end)
        return;
    if (word < number->first - 1) {
        number->end = number->first;
        return;
    }
    if (word < number->first)
        number->words[--number->first] = 0;
    unsigned next = digit(number, place - 1);
    bool has_more = number->words[word] % unit % (unit >= 10 ? unit / 10 : 1) != 0;
    for (int i = word + 1; i < number->end && !has_more; i++) {
        uint32_t rest = number->words[i];
        if (i == word + 1 && unit == 1)
            rest %= BILLION / 10;
        has_more = rest != 0;
    }
    bool is_up = next > 5 || (next == 5 && (has_more || digit(number, place) % 2 == 1));
    number->words[word] -= number->words[word] % unit;
    number->end = word + 1;
    if (is_up) {
        number->words[word] += unit;
        for (; number->words[word] >= BILLION; word--) {
            number->words[word] -= BILLION;
            if (word == number->first)
                number->words[--number->first] = 0;
            number->words[word - 1]++;
        }
    }
    while (number->first < number->end && number->words[number->first] == 0)
        number->first++;
}

/* Spaces, sign, zeros: what is before `length` bytes of a number; then put_behind(). */
static void put_before(struct output *output, const struct conversion *how, const char *front,
                       int length)
{
    int space = how->width - length - (int)strlen(front);
    repeat(output, ' ', how->is_left || how->has_zeros ? 0 : space);
    while (*front)
        put(output, *front++);
    repeat(output, '0', how->is_left || !how->has_zeros ? 0 : space);
}

static void put_behind(struct output *output, const struct conversion *how, int start)
{
    repeat(output, ' ', how->is_left ? how->width - (output->count - start) : 0);
}

static bool is_upper(char kind)
{
    return kind >= 'A' && kind <= 'Z';
}

/* An exponent: at least so many digits. */
static char *write_exponent(char *text, char letter, int exponent, int least)
{
    char digits[8];
    int count = 0, rest = exponent < 0 ? -exponent : exponent;
    *text++ = letter;
    *text++ = exponent < 0 ? '-' : '+';
    for (; rest != 0 || count < least; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    while (count > 0)
        *text++ = digits[--count];
    return text;
}

static void put_decimal(struct output *output, const struct conversion *how, const char *front,
                        struct decimal *number)
{
    char kind = how->kind | 0x20, exponent_text[8];
    int precision = how->precision < 0 ? 6 : how->precision, start = output->count;
    bool has_zeros = true;
    int exponent = first_place(number), exponent_length = 0;

    if (kind == 'g') {
        precision = precision == 0 ? 1 : precision;
        round_to(number, exponent - precision + 1);
        exponent = first_place(number);
        has_zeros = how->is_alternate;
        kind = exponent < -4 || exponent >= precision ? 'e' : 'f';
        precision = kind == 'e' ? precision - 1 : precision - 1 - exponent;
    } else {
        round_to(number, kind == 'e' ? exponent - precision : -precision);
        if (kind == 'e')
            exponent = first_place(number);
    }
    /* (a 0 has no exponent, and its place is that of the units) */
    int top = kind == 'e' ? exponent : exponent < 0 ? 0 : exponent;
    int last = kind == 'e' ? exponent : 0;
    while (!has_zeros && precision > 0 && digit(number, last - precision) == 0)
        precision--;
    if (kind == 'e')
        exponent_length = (int)(write_exponent(exponent_text, is_upper(how->kind) ? 'E' : 'e',
                                               exponent, 2) - exponent_text);
    bool has_point = precision > 0 || how->is_alternate;
    put_before(output, how, front, top - last + 1 + has_point + precision + exponent_length);
    for (int place = top; place >= last; place--)
        put(output, (char)('0' + digit(number, place)));
    if (has_point)
        put(output, '.');
    for (int place = last - 1; place >= last - precision; place--)
        put(output, (char)('0' + digit(number, place)));
    for (int i = 0; i < exponent_length; i++)
        put(output, exponent_text[i]);
    put_behind(output, how, start);
}

/* One hexadecimal digit before the point, which is 1 of all numbers that have it. */
static void put_hexadecimal(struct output *output, const struct conversion *how,
                            const char *front, struct parts *parts)
{
    const char *digits = is_upper(how->kind) ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[32], exponent_text[8], whole[4];
    int precision = 28, start = output->count, exponent = 0;

    if (!is_zero(parts)) {
        while (!(parts->bits[0] & 0x10000)) {
            for (int i = 0; i < 4; i++)
                parts->bits[i] = parts->bits[i] << 1 | (i < 3 ? parts->bits[i + 1] >> 31 : 0);
            parts->exponent--;
        }
        exponent = parts->exponent + 112;
    }
    /* digits in the order of their weight: one and 28 behind it */
    text[0] = (char)(parts->bits[0] >> 16);
    for (int i = 0; i < 28; i++) {
        int bit = 108 - 4 * i;
        text[1 + i] = (char)(parts->bits[3 - bit / 32] >> bit % 32 & 15);
    }
    if (how->precision >= 0 && how->precision < 28) {
        precision = how->precision;
        int next = text[1 + precision];
        bool has_more = false;
        for (int i = 2 + precision; i <= 28; i++)
            has_more |= text[i] != 0;
        if (next > 8 || (next == 8 && (has_more || text[precision] % 2 == 1))) {
            int i = precision;
            while (i > 0 && text[i] == 15)
                text[i--] = 0;
            text[i]++;
        }
    } else {
        while (how->precision < 0 && precision > 0 && text[precision] == 0)
            precision--;
    }
    int zeros = how->precision > 28 ? how->precision - 28 : 0;
    bool has_point = precision > 0 || zeros > 0 || how->is_alternate;
    int length = (int)(write_exponent(exponent_text, is_upper(how->kind) ? 'P' : 'p', exponent, 1) -
                       exponent_text);
    strcpy(whole, front);
    strcat(whole, is_upper(how->kind) ? "0X" : "0x");
    put_before(output, how, whole, 1 + has_point + precision + zeros + length);
    put(output, digits[(int)text[0]]);
    if (has_point)
        put(output, '.');
    for (int i = 1; i <= precision; i++)
        put(output, digits[(int)text[i]]);
    repeat(output, '0', zeros);
    for (int i = 0; i < length; i++)
        put(output, exponent_text[i]);
    put_behind(output, how, start);
}

/* (the words lie in the frame of this function only) */
static __attribute__((noinline)) void put_usual(struct output *output,
                                                const struct conversion *how,
                                                const char *front, const struct parts *parts)
{
    uint32_t words[USUAL];
    int whole, behind;
    room_of(parts, &whole, &behind);
    struct decimal number = { .words = words, .point = whole };
    expand(&number, parts);
    put_decimal(output, how, front, &number);
}

static void put_long_double(struct output *output, const struct conversion *given,
                            long double value)
{
    struct conversion how = *given;
    struct parts parts = parts_of(value);
    char front[2] = { parts.is_negative ? '-' : how.sign, 0 };
    int whole, behind;

    if (parts.is_special) {
        bool is_nan = (parts.bits[0] & 0xFFFF) | parts.bits[1] | parts.bits[2] | parts.bits[3];
        const char *text = is_nan ? (is_upper(how.kind) ? "NAN" : "nan")
                                  : (is_upper(how.kind) ? "INF" : "inf");
        int start = output->count;
        how.has_zeros = false;
        put_before(output, &how, front, 3);
        while (*text)
            put(output, *text++);
        put_behind(output, &how, start);
        return;
    }
    if ((how.kind | 0x20) == 'a') {
        put_hexadecimal(output, &how, front, &parts);
        return;
    }
    if (is_zero(&parts))
        parts.exponent = 0;
    room_of(&parts, &whole, &behind);
    if (whole + behind <= USUAL) {
        put_usual(output, &how, front, &parts);
        return;
    }
    struct decimal number = { .words = malloc((size_t)(whole + behind) * sizeof(uint32_t)),
                              .point = whole };
    if (number.words == NULL) {
        output->has_failed = true;
        return;
    }
    expand(&number, &parts);
    put_decimal(output, &how, front, &number);
    free(number.words);
}

/* A conversion that the library has, with its argument. */
static void put_other(struct output *output, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = __real_vfprintf(output->stream, format, list);
    va_end(list);
    if (count < 0)
        output->has_failed = true;
    else
        output->count += count;
}

/* A width or precision: digits, or `*` for an argument. */
static const char *read_number(const char *format, struct arguments *arguments, int *number)
{
    if (*format == '*') {
        *number = va_arg(arguments->list, int);
        return format + 1;
    }
    for (*number = 0; *format >= '0' && *format <= '9'; format++)
        if (*number <= INT_MAX / 10 - 1)
            *number = *number * 10 + (*format - '0');
    return format;
}

/* Reads what is between `%` and the end of a conversion; returns what is behind it. */
static const char *read_conversion(const char *format, struct arguments *arguments,
                                   struct conversion *how)
{
    *how = (struct conversion){ .precision = -1 };
    for (;; format++) {
        if (*format == '-')
            how->is_left = true;
        else if (*format == '0')
            how->has_zeros = true;
        else if (*format == '#')
            how->is_alternate = true;
        else if (*format == '+')
            how->sign = '+';
        else if (*format == ' ' && how->sign == 0)
            how->sign = ' ';
        else if (*format != ' ')
            break;
    }
    format = read_number(format, arguments, &how->width);
    if (how->width < 0) {
        how->is_left = true;
        how->width = how->width == INT_MIN ? INT_MAX : -how->width;
    }
    if (*format == '.')
        format = read_number(format + 1, arguments, &how->precision);
    for (int i = 0; i < 2 && *format != 0 && strchr("hljztL", *format); i++)
        how->size[i] = *format++;
    how->kind = *format;
    return *format ? format + 1 : format;
}

static char *write_number(char *text, int number)
{
    if (number >= 10)
        text = write_number(text, number / 10);
    *text++ = (char)('0' + number % 10);
    return text;
}

/* The conversion as a format of its own. */
static void write_conversion(const struct conversion *how, char *text)
{
    *text++ = '%';
    if (how->is_left)
        *text++ = '-';
    if (how->has_zeros)
        *text++ = '0';
    if (how->is_alternate)
        *text++ = '#';
    if (how->sign)
        *text++ = how->sign;
    if (how->width > 0)
        text = write_number(text, how->width);
    if (how->precision >= 0) {
        *text++ = '.';
        text = write_number(text, how->precision);
    }
    for (const char *size = how->size; *size; size++)
        *text++ = *size;
    *text++ = how->kind;
    *text = 0;
}

static void store_count(const struct conversion *how, void *where, int count)
{
    switch (how->size[0]) {
    case 'h':
        if (how->size[1] == 'h')
            *(signed char *)where = (signed char)count;
        else
            *(short *)where = (short)count;
        break;
    case 'l':
        if (how->size[1] == 'l')
            *(long long *)where = count;
        else
            *(long *)where = count;
        break;
    case 'j':
        *(intmax_t *)where = count;
        break;
    case 'z':
    case 't':
        *(ptrdiff_t *)where = count;
        break;
    default:
        *(int *)where = count;
    }
}

static void put_integer(struct output *output, const struct conversion *how, const char *format,
                        struct arguments *arguments)
{
    switch (how->size[0]) {
    case 'j':
        put_other(output, format, va_arg(arguments->list, intmax_t));
        break;
    case 'l':
        if (how->size[1] == 'l') {
            put_other(output, format, va_arg(arguments->list, long long));
            break;
        }
        /* fall through */
    case 'z':
    case 't':
        put_other(output, format, va_arg(arguments->list, long));
        break;
    default:
        put_other(output, format, va_arg(arguments->list, int));
    }
}

/* False if there is no such conversion, whose argument is not known then. */
static bool put_conversion(struct output *output, const struct conversion *how,
                           struct arguments *arguments)
{
    char format[48];
    write_conversion(how, format);
    switch (how->kind) {
    case '%':
        put(output, '%');
        return true;
    case 'n':
        store_count(how, va_arg(arguments->list, void *), output->count);
        return true;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        put_integer(output, how, format, arguments);
        return true;
    case 'c':
        put_other(output, format, va_arg(arguments->list, int));
        return true;
    case 's':
    case 'p':
        put_other(output, format, va_arg(arguments->list, void *));
        return true;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (how->size[0] == 'L')
            put_long_double(output, how, va_arg(arguments->list, long double));
        else
            put_other(output, format, va_arg(arguments->list, double));
        return true;
    default:
        return false;
    }
}

/* Whether the library has all conversions of a format. */
static bool is_usual(const char *format)
{
    while ((format = strchr(format, '%')) != NULL) {
        format += 1 + strspn(format + 1, "-+ #0123456789.*hljzt");
        if (*format == 'L' || *format == 'n')
            return false;
        if (*format != 0)
            format++;
    }
    return true;
}

static __attribute__((noinline)) int print(FILE *stream, const char *format, va_list list)
{
    struct output output = { .stream = stream };
    struct arguments arguments;
    va_copy(arguments.list, list);
    while (*format && !output.has_failed) {
        struct conversion how;
        if (*format != '%') {
            put(&output, *format++);
            continue;
        }
        const char *behind = read_conversion(format + 1, &arguments, &how);
        if (!put_conversion(&output, &how, &arguments)) {
            while (*format)
                put(&output, *format++);
            break;
        }
        format = behind;
    }
    va_end(arguments.list);
    return output.has_failed ? -1 : output.count;
}

int __wrap_vfprintf(FILE *stream, const char *format, va_list arguments)
{
    flockfile(stream);
    int result = is_usual(format) ? __real_vfprintf(stream, format, arguments)
                                  : print(stream, format, arguments);
    funlockfile(stream);
    return result;
}
