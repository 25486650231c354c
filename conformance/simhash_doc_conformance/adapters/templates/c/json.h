/* JSON for the protocol. A value is a pointer to its start in the line. Malformed or missing values
 * end the program with a message. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

/* The next line of any length, to be freed; NULL at the end of the input. */
char *json_read_line(FILE *input);

/* The member of an object, or the item of an array counted from 0; NULL if it does not exist. */
const char *json_member(const char *object, const char *name);
const char *json_item(const char *array, size_t index);

/* A string as UTF-8, zero-terminated, to be freed. It may contain zero bytes: use the length. */
char *json_string(const char *value, size_t *length);

/* An integer; 1 or 0 for true or anything else (such as NULL). */
long long json_integer(const char *value);
int json_is_true(const char *value);

/* Print UTF-8 as a JSON string to standard output. */
void json_print_string(const char *text, size_t length);

#endif
