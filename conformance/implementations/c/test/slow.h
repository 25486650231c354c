/* The specification clause by clause, without regard to time and memory. It reads the tables of the specification and
 * shares no code with the library. */
#ifndef SLOW_H
#define SLOW_H

#include <stddef.h>
#include <stdint.h>

struct points {
    uint32_t *at;
    size_t size;
};

/* Return the folded text of bytes in UTF-8; to be freed. */
struct points slow_fold(const uint8_t *bytes, size_t size);

/* Write the text form of the fingerprint with a number of lanes, or "no-token". */
void slow_fingerprint(const uint8_t *bytes, size_t size, unsigned lanes, char text[128]);

#endif
