#include "buffer.h"

#include <stdlib.h>

bool sdoc_reserve(struct buffer *buffer, size_t more) {
    if (buffer->capacity - buffer->size > more + SDOC_SLACK) return true;
    if (buffer->fixed || more > SIZE_MAX / 4 || buffer->capacity > SIZE_MAX / 4) return false;
    size_t capacity = buffer->capacity * 2 > buffer->size + more + 64 ? buffer->capacity * 2 : buffer->size + more + 64;
    uint8_t *bytes = realloc(buffer->bytes, capacity);
    if (!bytes) return false;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void *sdoc_grow(void *array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return array;
    size_t larger = *capacity ? *capacity * 2 : 16;
    if (larger > SIZE_MAX / size) return NULL;
    void *grown = realloc(array, larger * size);
    if (grown) *capacity = larger;
    return grown;
}
