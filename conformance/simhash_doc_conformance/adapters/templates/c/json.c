#include "json.h"

#include <stdlib.h>
#include <string.h>

static void fail(const char *message, const char *where) {
    fprintf(stderr, "%s: %.40s\n", message, where ? where : "(missing)");
    exit(1);
}

static void *resize(void *memory, size_t size) {
    void *resized = realloc(memory, size);
    if (!resized) fail("out of memory", "");
    return resized;
}

char *json_read_line(FILE *input) {
    size_t size = 1 << 16, used = 0;
    char *line = resize(NULL, size);
    while (fgets(line + used, (int)(size - used < 1 << 20 ? size - used : 1 << 20), input)) {
        used += strlen(line + used);
        if (used && line[used - 1] == '\n') return line;
        if (size - used < 2) line = resize(line, size *= 2);
    }
    free(line);
    return NULL;
}

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at) {
    for (at++; *at != '"'; at++) {
        if (*at == '\\') at++;
        if (!*at) fail("a string without end", at);
    }
    return at + 1;
}

static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        if (!*at) fail("a value without end", at);
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[') depth++;
        if (*at == '}' || *at == ']') depth--;
        at++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *at));
    return at;
}

/* The value after this one, or NULL at the end of the object or array. */
static const char *next(const char *at) {
    at = skip_space(at);
    if (*at == '}' || *at == ']') return NULL;
    if (*at != ',') fail("no comma", at);
    return skip_space(at + 1);
}

static const char *first(const char *at, char opening) {
    if (!at || *(at = skip_space(at)) != opening) fail("not the expected kind of value", at);
    at = skip_space(at + 1);
    return *at == '}' || *at == ']' ? NULL : at;
}

const char *json_member(const char *object, const char *name) {
    for (const char *at = first(object, '{'); at;) {
        size_t length;
        char *found = json_string(at, &length);
        int same = strcmp(found, name) == 0;
        free(found);
        at = skip_space(skip_string(at));
        if (*at != ':') fail("no colon", at);
        at = skip_space(at + 1);
        if (same) return at;
        at = next(skip_value(at));
    }
    return NULL;
}

const char *json_item(const char *array, size_t index) {
    const char *at = first(array, '[');
    while (at && index--) at = next(skip_value(at));
    return at;
}

static unsigned long hex4(const char *at) {
    char digits[5] = "", *end;
    strncpy(digits, at, 4);
    unsigned long unit = strtoul(digits, &end, 16);
    if (end != digits + 4) fail("not four hexadecimal digits", at);
    return unit;
}

static char *put_utf8(char *out, unsigned long c) {
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *out++ = (char)(0xE0 | c >> 12);
        } else {
            *out++ = (char)(0xF0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (c & 0x3F));
    return out;
}

/* The code point of the escape \uXXXX at `*at`, which is moved to its last digit. */
static unsigned long unicode_escape(const char **at) {
    unsigned long c = hex4(*at + 2);
    *at += 5;
    if (c < 0xD800 || c > 0xDFFF) return c;
    if (c < 0xDC00 && (*at)[1] == '\\' && (*at)[2] == 'u') {
        unsigned long low = hex4(*at + 3);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            *at += 6;
            return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return 0xFFFD; /* a lone surrogate */
}

char *json_string(const char *value, size_t *length) {
    if (!value || *value != '"') fail("not a string", value);
    const char *end = skip_string(value) - 1;
    char *text = resize(NULL, (size_t)(end - value) + 1), *out = text; /* an escape is longer than its UTF-8 */
    for (const char *at = value + 1; at < end; at++) {
        static const char letters[] = "bfnrt", controls[] = "\b\f\n\r\t";
        if (*at != '\\') {
            *out++ = *at;
        } else if (at[1] == 'u') {
            out = put_utf8(out, unicode_escape(&at));
        } else {
            const char *letter = strchr(letters, *++at);
            *out++ = letter ? controls[letter - letters] : *at;
        }
    }
    *out = '\0';
    *length = (size_t)(out - text);
    return text;
}

long long json_integer(const char *value) {
    char *end;
    long long integer = value ? strtoll(value, &end, 10) : 0;
    if (!value || end == value) fail("not an integer", value);
    return integer;
}

int json_is_true(const char *value) {
    return value && strncmp(value, "true", 4) == 0;
}

void json_print_string(const char *text, size_t length) {
    putchar('"');
    for (const char *at = text; at < text + length; at++) {
        if ((unsigned char)*at < ' ') {
            printf("\\u%04x", *at);
        } else {
            if (*at == '"' || *at == '\\') putchar('\\');
            putchar(*at);
        }
    }
    putchar('"');
}
