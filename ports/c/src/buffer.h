/* A growing array of bytes. */
#ifndef SDOC_BUFFER_H
#define SDOC_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *bytes;
    size_t size, capacity;
    /* The bytes are not of the heap: there is no room for more than the capacity. */
    bool fixed;
};

/* So many bytes behind the end can be read. */
enum { SDOC_SLACK = 8 };

/* Make room for more bytes; return false if memory lacks. */
bool sdoc_reserve(struct buffer *buffer, size_t more);

/* Grow an array that holds `count` elements to hold one more, in steps that double it; null if memory lacks. */
void *sdoc_grow(void *array, size_t count, size_t *capacity, size_t size);

#endif
