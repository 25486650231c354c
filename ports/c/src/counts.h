/* Counts distinct tokens up to the cap, and sums their hashes (sections 7 and 8). */
#ifndef SDOC_COUNTS_H
#define SDOC_COUNTS_H

#include "buffer.h"
#include "simhash_doc.h"

struct token {
    /* The first eight bytes, or all with zeros behind them. */
    uint64_t head;
    size_t start, size;
    uint32_t hash;
    uint8_t count;
};

struct counts {
    /* The hash table has the numbers of tokens, from 1 on. */
    uint32_t *slots;
    size_t slot_count;
    struct token *tokens;
    size_t count, capacity;
    struct buffer bytes;
    /* Multipliers that nobody else knows, so that nobody can choose tokens that collide. */
    uint64_t keys[3];
};

/* Prepare empty counts; return false if memory lacks. */
bool sdoc_counts_begin(struct counts *counts);

/* Prepare empty counts in memory that is aligned for integers, of which they use a multiple of 8 bytes; return false if
 * it is too small. */
bool sdoc_counts_begin_in(struct counts *counts, uint8_t *memory, size_t size);

void sdoc_counts_free(struct counts *counts);

/* Count a token, behind which SDOC_SLACK bytes can be read. */
simhash_doc_status sdoc_counts_add(struct counts *counts, const uint8_t *token, size_t size);

/* Compute the buckets of a scheme, lane by lane. */
simhash_doc_status sdoc_counts_buckets(const struct counts *counts, simhash_doc_scheme scheme,
                                       int8_t buckets[SIMHASH_DOC_MAX_BITS]);

#endif
