/* XXH64 (appendix A). */
#ifndef SDOC_XXH64_H
#define SDOC_XXH64_H

#include <stddef.h>
#include <stdint.h>

uint64_t sdoc_xxh64(const uint8_t *bytes, size_t size, uint64_t seed);

static inline uint64_t sdoc_read32(const uint8_t *bytes) {
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
}

/* Return eight bytes as a little-endian integer. Compilers turn this into one load where integers are such. */
static inline uint64_t sdoc_read64(const uint8_t *bytes) {
    return sdoc_read32(bytes) | sdoc_read32(bytes + 4) << 32;
}

#endif
