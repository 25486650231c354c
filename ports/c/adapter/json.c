#include "json.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at, *end;
};

static void fail(const char *message) {
    fprintf(stderr, "JSON: %s\n", message);
    exit(2);
}

static void *allocate(size_t size) {
    void *memory = calloc(1, size);
    if (!memory) fail("no memory");
    return memory;
}

void put_bytes(struct output *output, const void *bytes, size_t size) {
    if (output->capacity - output->size <= size) {
        output->capacity = 2 * output->capacity + size + 64;
        output->bytes = realloc(output->bytes, output->capacity);
        if (!output->bytes) fail("no memory");
    }
    if (size > 0) memcpy(output->bytes + output->size, bytes, size);
    output->size += size;
    output->bytes[output->size] = '\0';
}

void put(struct output *output, const char *text) {
    put_bytes(output, text, strlen(text));
}

void put_number(struct output *output, long long number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", number);
    put(output, digits);
}

void put_string(struct output *output, const char *bytes, size_t size) {
    put(output, "\"");
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= ' ' && c != '"' && c != '\\') continue;
        char escaped[8];
        snprintf(escaped, sizeof escaped, "\\u%04x", c);
        put_bytes(output, bytes + from, i - from);
        put(output, escaped);
        from = i + 1;
    }
    put_bytes(output, bytes + from, size - from);
    put(output, "\"");
}

static void space(struct reader *reader) {
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at) reader->at++;
}

static bool skip(struct reader *reader, char c) {
    space(reader);
    if (reader->at == reader->end || *reader->at != c) return false;
    reader->at++;
    return true;
}

static unsigned hex4(struct reader *reader) {
    if (reader->end - reader->at < 4) fail("four digits expected");
    char digits[5] = {0};
    memcpy(digits, reader->at, 4);
    reader->at += 4;
    return (unsigned)strtoul(digits, NULL, 16);
}

void put_scalar(struct output *output, unsigned c) {
    if (c < 0x80) {
        put_bytes(output, &(char){(char)c}, 1);
    } else if (c < 0x800) {
        put_bytes(output, (char[]){(char)(0xC0 | c >> 6), (char)(0x80 | (c & 63))}, 2);
    } else if (c < 0x10000) {
        put_bytes(output, (char[]){(char)(0xE0 | c >> 12), (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63))}, 3);
    } else {
        put_bytes(output,
                  (char[]){(char)(0xF0 | c >> 18), (char)(0x80 | (c >> 12 & 63)), (char)(0x80 | (c >> 6 & 63)),
                           (char)(0x80 | (c & 63))},
                  4);
    }
}

static void escape(struct reader *reader, struct output *output) {
    char c = *reader->at++;
    if (c == 'u') {
        unsigned unit = hex4(reader);
        if (unit >= 0xD800 && unit < 0xDC00 && reader->end - reader->at >= 6 && reader->at[0] == '\\') {
            reader->at += 2;
            unit = 0x10000 + ((unit - 0xD800) << 10) + (hex4(reader) - 0xDC00);
        }
        put_scalar(output, unit);
        return;
    }
    const char *known = strchr("bfnrt", c);
    put_bytes(output, known ? &"\b\f\n\r\t"[known - &"bfnrt"[0]] : &c, 1);
}

static struct text string(struct reader *reader) {
    struct output output = {0};
    put(&output, "");
    while (true) {
        const char *from = reader->at;
        while (reader->at < reader->end && *reader->at != '"' && *reader->at != '\\') reader->at++;
        put_bytes(&output, from, (size_t)(reader->at - from));
        if (reader->end - reader->at < 1) fail("a string does not end");
        if (*reader->at++ == '"') return (struct text){output.bytes, output.size};
        if (reader->at == reader->end) fail("a string does not end");
        escape(reader, &output);
    }
}

static struct json *value(struct reader *reader);

static struct json *children(struct reader *reader, char close, bool named) {
    struct json *first = NULL, **next = &first;
    while (!skip(reader, close)) {
        if (first && !skip(reader, ',')) fail("a comma expected");
        struct text name = {0};
        if (named) {
            if (!skip(reader, '"')) fail("a name expected");
            name = string(reader);
            if (!skip(reader, ':')) fail("a colon expected");
        }
        *next = value(reader);
        (*next)->name = name;
        next = &(*next)->next;
    }
    return first;
}

static void word(struct reader *reader, struct json *json) {
    const char *from = reader->at;
    while (reader->at < reader->end && *reader->at && !strchr(",]} \t\r\n", *reader->at)) reader->at++;
    struct output output = {0};
    put_bytes(&output, from, (size_t)(reader->at - from));
    json->text = (struct text){output.bytes, output.size};
    json->type = strcmp(output.bytes, "true") == 0    ? JSON_TRUE
                 : strcmp(output.bytes, "false") == 0 ? JSON_FALSE
                 : strcmp(output.bytes, "null") == 0  ? JSON_NULL
                                                      : JSON_NUMBER;
    if (output.size == 0) fail("a value expected");
}

static struct json *value(struct reader *reader) {
    struct json *json = allocate(sizeof *json);
    if (skip(reader, '{')) {
        json->type = JSON_OBJECT;
        json->child = children(reader, '}', true);
    } else if (skip(reader, '[')) {
        json->type = JSON_ARRAY;
        json->child = children(reader, ']', false);
    } else if (skip(reader, '"')) {
        json->type = JSON_STRING;
        json->text = string(reader);
    } else {
        word(reader, json);
    }
    return json;
}

struct json *json_parse(const char *text, size_t size) {
    struct reader reader = {text, text + size};
    return value(&reader);
}

void json_free(struct json *value) {
    while (value) {
        struct json *next = value->next;
        json_free(value->child);
        free(value->name.bytes);
        free(value->text.bytes);
        free(value);
        value = next;
    }
}

const struct json *json_member(const struct json *object, const char *name) {
    for (const struct json *member = object->child; member; member = member->next)
        if (strcmp(member->name.bytes, name) == 0) return member;
    return NULL;
}

uint64_t json_number(const struct json *number) {
    return strtoull(number->text.bytes, NULL, 10);
}

bool json_is(const struct json *string, const char *text) {
    return string && string->text.size == strlen(text) && memcmp(string->text.bytes, text, string->text.size) == 0;
}

static void put_text(struct output *output, const struct json *value) {
    if (value->type == JSON_STRING)
        put_string(output, value->text.bytes, value->text.size);
    else
        put_bytes(output, value->text.bytes, value->text.size);
}

void put_json(struct output *output, const struct json *value) {
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY) {
        put_text(output, value);
        return;
    }
    put(output, value->type == JSON_OBJECT ? "{" : "[");
    for (const struct json *child = value->child; child; child = child->next) {
        if (child != value->child) put(output, ",");
        if (value->type == JSON_OBJECT) {
            put_string(output, child->name.bytes, child->name.size);
            put(output, ":");
        }
        put_json(output, child);
    }
    put(output, value->type == JSON_OBJECT ? "}" : "]");
}
