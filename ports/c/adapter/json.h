/* JSON for the adapter and the tests. The program ends if memory lacks or JSON is invalid. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value; in an object or array the first of its children, which are a list. */
struct json {
    enum json_type type;
    /* The name of a member. */
    struct text {
        char *bytes;
        size_t size;
    } name;
    /* A string; for a number, its digits. */
    struct text text;
    struct json *child, *next;
};

/* Read a value; null at the end of a line is allowed for. */
struct json *json_parse(const char *text, size_t size);
void json_free(struct json *value);

/* Return a member; null if it is not there. */
const struct json *json_member(const struct json *object, const char *name);
uint64_t json_number(const struct json *number);
bool json_is(const struct json *string, const char *text);

/* A growing text. */
struct output {
    char *bytes;
    size_t size, capacity;
};

void put_bytes(struct output *output, const void *bytes, size_t size);
void put(struct output *output, const char *text);
/* Write a scalar value in UTF-8. */
void put_scalar(struct output *output, unsigned c);
void put_number(struct output *output, long long number);
void put_string(struct output *output, const char *bytes, size_t size);
/* Write a value in one form: members in their order, numbers as they were. */
void put_json(struct output *output, const struct json *value);

#endif
