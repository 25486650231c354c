#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "secret.h"
#include "xxh64.h"

enum { CAP = 8, MOST = 127, PLACES = 36, FIRST_SLOTS = 1024 };

static void choose_keys(struct counts *counts) {
    sdoc_secret(counts->keys, 3);
    for (int i = 0; i < 3; i++) counts->keys[i] |= 1;
}

bool sdoc_counts_begin(struct counts *counts) {
    memset(counts, 0, sizeof *counts);
    counts->slots = calloc(FIRST_SLOTS, sizeof *counts->slots);
    counts->slot_count = FIRST_SLOTS;
    choose_keys(counts);
    return counts->slots;
}

bool sdoc_counts_begin_in(struct counts *counts, uint8_t *memory, size_t size) {
    size_t sixth = size / 6 & ~(size_t)7;
    if (sixth < 16) return false;
    memset(counts, 0, sizeof *counts);
    counts->tokens = (struct token *)(void *)memory;
    counts->slots = (uint32_t *)(void *)(memory + 3 * sixth);
    counts->bytes = (struct buffer){.bytes = memory + 4 * sixth, .capacity = 2 * sixth, .fixed = true};
    for (counts->slot_count = 1; counts->slot_count <= sixth / sizeof *counts->slots / 2;) counts->slot_count *= 2;
    memset(counts->slots, 0, counts->slot_count * sizeof *counts->slots);
    /* The slots do not have to grow. */
    counts->capacity = 3 * sixth / sizeof *counts->tokens;
    if (counts->capacity > counts->slot_count / 2) counts->capacity = counts->slot_count / 2;
    choose_keys(counts);
    return true;
}

void sdoc_counts_free(struct counts *counts) {
    free(counts->slots);
    free(counts->tokens);
    free(counts->bytes.bytes);
}

/* Return the lower half of a product xor its upper half. */
static uint64_t mix(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 product;
    product both = (product)a * b;
    return (uint64_t)both ^ (uint64_t)(both >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    return a * b ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

static uint64_t head_of(const uint8_t *token, size_t size) {
    uint64_t head = sdoc_read64(token);
    return size < 8 ? head & ((UINT64_C(1) << size * 8) - 1) : head;
}

static uint32_t hash_of(const struct counts *counts, uint64_t head, const uint8_t *token, size_t size) {
    uint64_t hash = mix(head ^ counts->keys[0], size ^ counts->keys[1]);
    if (size > 8) {
        for (size_t at = 8; at + 8 < size; at += 8) hash = mix(hash ^ sdoc_read64(token + at), counts->keys[2]);
        hash = mix(hash ^ sdoc_read64(token + size - 8), counts->keys[1]);
    }
    return (uint32_t)(hash >> 32);
}

static bool grow_slots(struct counts *counts) {
    size_t slot_count = counts->slot_count * 2;
    uint32_t *slots = slot_count > SIZE_MAX / sizeof *slots ? NULL : calloc(slot_count, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < counts->count; i++) {
        size_t slot = counts->tokens[i].hash & (slot_count - 1);
        while (slots[slot]) slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (uint32_t)(i + 1);
    }
    free(counts->slots);
    counts->slots = slots;
    counts->slot_count = slot_count;
    return true;
}

static simhash_doc_status insert(struct counts *counts, size_t slot, struct token token, const uint8_t *bytes) {
    if (counts->count == UINT32_MAX - 1) return SIMHASH_DOC_OVER_LIMIT;
    if (counts->count == counts->capacity && counts->bytes.fixed) return SIMHASH_DOC_NO_MEMORY;
    struct token *tokens = sdoc_grow(counts->tokens, counts->count, &counts->capacity, sizeof *tokens);
    if (!tokens) return SIMHASH_DOC_NO_MEMORY;
    counts->tokens = tokens;
    if (!sdoc_reserve(&counts->bytes, token.size)) return SIMHASH_DOC_NO_MEMORY;
    memcpy(counts->bytes.bytes + counts->bytes.size, bytes, token.size);
    counts->bytes.size += token.size;
    tokens[counts->count++] = token;
    counts->slots[slot] = (uint32_t)counts->count;
    if (counts->count * 2 > counts->slot_count && !grow_slots(counts)) return SIMHASH_DOC_NO_MEMORY;
    return SIMHASH_DOC_OK;
}

simhash_doc_status sdoc_counts_add(struct counts *counts, const uint8_t *bytes, size_t size) {
    uint64_t head = head_of(bytes, size);
    uint32_t hash = hash_of(counts, head, bytes, size);
    size_t slot = hash & (counts->slot_count - 1);
    for (; counts->slots[slot]; slot = (slot + 1) & (counts->slot_count - 1)) {
        struct token *known = &counts->tokens[counts->slots[slot] - 1];
        if (known->head != head || known->size != size) continue;
        if (size > 8 && (known->hash != hash || memcmp(counts->bytes.bytes + known->start, bytes, size) != 0)) continue;
        if (known->count < CAP) known->count++;
        return SIMHASH_DOC_OK;
    }
    struct token token = {.head = head, .start = counts->bytes.size, .size = size, .hash = hash, .count = 1};
    return insert(counts, slot, token, bytes);
}

/* Add the bits of a hash, worth 2^place each, to 64 counts: bit i of planes[p] is bit p of count i. */
static void add_hash(uint64_t planes[PLACES], int place, uint64_t hash) {
    for (uint64_t carry = hash; carry; place++) {
        uint64_t both = planes[place] & carry;
        planes[place] ^= carry;
        carry = both;
    }
}

/* Add three bits at each place: the sum is low + 2 high. */
static void add_three(uint64_t *high, uint64_t *low, uint64_t a, uint64_t b) {
    uint64_t c = *low, differ = a ^ b;
    *high = (a & b) | (differ & c);
    *low = differ ^ c;
}

/* Add the bits of eight hashes, which takes fewer operations than one after the other. */
static void add_eight(uint64_t planes[PLACES], const uint64_t hashes[8]) {
    uint64_t twos[4], fours[2], eights;
    for (size_t i = 0; i < 4; i++) add_three(&twos[i], &planes[0], hashes[2 * i], hashes[2 * i + 1]);
    for (size_t i = 0; i < 2; i++) add_three(&fours[i], &planes[1], twos[2 * i], twos[2 * i + 1]);
    add_three(&eights, &planes[2], fours[0], fours[1]);
    add_hash(planes, 3, eights);
}

/* Count the ones of each bit; return the number of all hashes. */
static int64_t sum(const struct counts *counts, unsigned lane, uint64_t planes[PLACES]) {
    int64_t total = 0;
    uint64_t single[8];
    size_t singles = 0;
    for (size_t i = 0; i < counts->count; i++) {
        const struct token *token = &counts->tokens[i];
        uint64_t hash = sdoc_xxh64(counts->bytes.bytes + token->start, token->size, lane);
        total += token->count;
        for (int place = 1; token->count >> place; place++)
            if (token->count >> place & 1) add_hash(planes, place, hash);
        if (token->count & 1) single[singles++] = hash;
        if (singles == 8) {
            add_eight(planes, single);
            singles = 0;
        }
    }
    while (singles > 0) add_hash(planes, 0, single[--singles]);
    return total;
}

simhash_doc_status sdoc_counts_buckets(const struct counts *counts, simhash_doc_scheme scheme,
                                       int8_t buckets[SIMHASH_DOC_MAX_BITS]) {
    if (counts->count == 0) return SIMHASH_DOC_NO_TOKEN;
    for (unsigned lane = 0; lane < simhash_doc_scheme_lanes(scheme); lane++) {
        uint64_t planes[PLACES] = {0};
        int64_t total = sum(counts, lane, planes);
        int places = 0;
        while (places < PLACES && total >> places) places++;
        for (int bit = 0; bit < 64; bit++) {
            int64_t ones = 0;
            for (int place = 0; place < places; place++) ones |= (int64_t)(planes[place] >> bit & 1) << place;
            int64_t bucket = 2 * ones - total;
            buckets[64 * lane + (unsigned)bit] = (int8_t)(bucket < -MOST ? -MOST : bucket > MOST ? MOST : bucket);
        }
    }
    return SIMHASH_DOC_OK;
}
