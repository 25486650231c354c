/* Properties of code points (sections 4 and 6, appendix C). */
#ifndef SDOC_UNICODE_H
#define SDOC_UNICODE_H

#include "unicode_data.h"

/* The values are those of tools/generate_unicode_data.py. */
enum { SDOC_WORD = 1, SDOC_ALPHABETIC = 2, SDOC_CONTINUA = 4, SDOC_CONNECTOR = 8, SDOC_SECOND = 16 };

/* How a code point is folded. An inert one stays and is not involved in normalization; others that stay may be; the
 * rest are mappings, from SDOC_FIRST_MAPPING on. */
enum { SDOC_INERT = 0, SDOC_ITSELF = 1, SDOC_FIRST_MAPPING = 2 };

/* Return the entry of a table of blocks. */
static inline size_t sdoc_place(const uint16_t *index, uint32_t c) {
    return ((size_t)index[c >> SDOC_BLOCK_BITS] << SDOC_BLOCK_BITS) + (c & ((1U << SDOC_BLOCK_BITS) - 1));
}

static inline unsigned sdoc_properties(uint32_t c) {
    return sdoc_properties_values[sdoc_place(sdoc_properties_index, c)];
}

static inline unsigned sdoc_class(uint32_t c) {
    return sdoc_classes_values[sdoc_place(sdoc_classes_index, c)];
}

static inline unsigned sdoc_folding(uint32_t c) {
    return sdoc_foldings_values[sdoc_place(sdoc_foldings_index, c)];
}

/* Write the NFD of one code point, of at most SDOC_LONGEST_NFD code points; return their number. */
enum { SDOC_LONGEST_NFD = 4 };
size_t sdoc_decompose(uint32_t c, uint32_t out[SDOC_LONGEST_NFD]);

/* Return the composite of two code points, or 0. */
uint32_t sdoc_compose(uint32_t first, uint32_t second);

#endif
