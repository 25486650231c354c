#include "unicode.h"

/* Hangul syllables are computed. */
enum {
    SYLLABLE = 0xAC00,
    LEADING = 0x1100,
    VOWEL = 0x1161,
    TRAILING = 0x11A7,
    LEADINGS = 19,
    VOWELS = 21,
    TRAILINGS = 28,
    SYLLABLES = LEADINGS * VOWELS * TRAILINGS,
};

size_t sdoc_decompose(uint32_t c, uint32_t out[SDOC_LONGEST_NFD]) {
    if (c - SYLLABLE < SYLLABLES) {
        uint32_t s = c - SYLLABLE;
        out[0] = LEADING + s / (VOWELS * TRAILINGS);
        out[1] = VOWEL + s % (VOWELS * TRAILINGS) / TRAILINGS;
        out[2] = TRAILING + s % TRAILINGS;
        return s % TRAILINGS ? 3 : 2;
    }
    unsigned number = sdoc_decompositions_values[sdoc_place(sdoc_decompositions_index, c)];
    if (number == 0) {
        out[0] = c;
        return 1;
    }
    size_t size = 0;
    for (size_t i = sdoc_decomposition_starts[number - 1]; i < sdoc_decomposition_starts[number]; i++)
        out[size++] = sdoc_decomposition_points[i];
    return size;
}

static uint32_t compose_pair(uint32_t first, uint32_t second) {
    size_t low = 0, high = sdoc_composite_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct composite *pair = &sdoc_composites[middle];
        if (pair->first == first && pair->second == second) return pair->composite;
        if (pair->first < first || (pair->first == first && pair->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

uint32_t sdoc_compose(uint32_t first, uint32_t second) {
    if (!(sdoc_properties(second) & SDOC_SECOND)) return 0;
    if (first - LEADING < LEADINGS && second - VOWEL < VOWELS)
        return SYLLABLE + ((first - LEADING) * VOWELS + (second - VOWEL)) * TRAILINGS;
    if (first - SYLLABLE < SYLLABLES && (first - SYLLABLE) % TRAILINGS == 0 && second - TRAILING - 1 < TRAILINGS - 1)
        return first + (second - TRAILING);
    return compose_pair(first, second);
}
