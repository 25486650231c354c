/* The documents of requests (PROTOCOL.md, Input). */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "json.h"

/* Return the document of a request in UTF-8; its bytes are to be freed. */
struct output document_of(const struct json *request);

/* Write the bytes of hexadecimal digits. */
void put_unhexed(struct output *output, struct text hex);

#endif
