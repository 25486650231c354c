/* Code points in UTF-8 (section 3). */
#ifndef SDOC_UTF8_H
#define SDOC_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { SDOC_REPLACEMENT = 0xFFFD, SDOC_LONGEST_UTF8 = 4 };

/* Return the size of the sequence at the start of bytes: positive if it is well-formed, negative for an ill-formed
 * part, and 0 if the bytes end before that is decided. */
static inline int sdoc_sequence(const uint8_t *bytes, size_t size) {
    unsigned lead = bytes[0];
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return -1;
    int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < length; i++) {
        if ((size_t)i == size) return 0;
        if (bytes[i] < lowest || bytes[i] > highest) return -i;
        lowest = 0x80;
        highest = 0xBF;
    }
    return length;
}

/* Return the code point of a well-formed sequence. */
static inline uint32_t sdoc_decode(const uint8_t *bytes) {
    uint32_t lead = bytes[0];
    if (lead < 0x80) return lead;
    if (lead < 0xE0) return (lead & 0x1F) << 6 | (bytes[1] & 0x3FU);
    if (lead < 0xF0) return (lead & 0xF) << 12 | (bytes[1] & 0x3FU) << 6 | (bytes[2] & 0x3FU);
    return (lead & 7) << 18 | (bytes[1] & 0x3FU) << 12 | (bytes[2] & 0x3FU) << 6 | (bytes[3] & 0x3FU);
}

static inline size_t sdoc_utf8_size(uint32_t c) {
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Write a scalar value and return its size. */
static inline size_t sdoc_encode(uint32_t c, uint8_t *out) {
    size_t size = sdoc_utf8_size(c);
    if (size == 1) {
        out[0] = (uint8_t)c;
        return 1;
    }
    for (size_t i = size - 1; i > 0; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3F));
    out[0] = (uint8_t)((0xF00U >> size) | c);
    return size;
}

/* Return the size of the code point that ends at `end`. */
static inline size_t sdoc_last_size(const uint8_t *end) {
    size_t size = 1;
    while ((end[-(ptrdiff_t)size] & 0xC0) == 0x80) size++;
    return size;
}

#endif
