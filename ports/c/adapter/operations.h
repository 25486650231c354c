/* The operations of the conformance protocol (PROTOCOL.md). */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "json.h"

/* The names of the operations as a JSON array. */
extern const char OPERATION_NAMES[];

/* Write the member of an answer: "result", "error" or "unsupported", without braces. */
void put_answer(struct output *output, const struct json *operation, const struct json *request);

#endif
