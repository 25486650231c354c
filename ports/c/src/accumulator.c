/* Fingerprints of texts, complete or in pieces. */
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "pipeline.h"

struct simhash_doc_accumulator {
    struct pipeline pipeline;
    struct counts counts;
    bool ended;
    /* The first error, which every other call gives, too. */
    simhash_doc_status status;
};

static bool count(void *context, const uint8_t *token, size_t size) {
    simhash_doc_accumulator *accumulator = context;
    accumulator->status = sdoc_counts_add(&accumulator->counts, token, size);
    return accumulator->status == SIMHASH_DOC_OK;
}

static void begin_pipeline(simhash_doc_accumulator *accumulator) {
    memset(accumulator, 0, sizeof *accumulator);
    accumulator->pipeline.cutter.sink = count;
    accumulator->pipeline.cutter.context = accumulator;
}

static bool begin(simhash_doc_accumulator *accumulator) {
    begin_pipeline(accumulator);
    return sdoc_counts_begin(&accumulator->counts);
}

static void release(simhash_doc_accumulator *accumulator) {
    sdoc_counts_free(&accumulator->counts);
    free(accumulator->pipeline.folder.text.bytes);
}

simhash_doc_accumulator *simhash_doc_accumulator_new(void) {
    simhash_doc_accumulator *accumulator = malloc(sizeof *accumulator);
    if (accumulator && !begin(accumulator)) {
        free(accumulator);
        return NULL;
    }
    return accumulator;
}

void simhash_doc_accumulator_free(simhash_doc_accumulator *accumulator) {
    if (!accumulator) return;
    release(accumulator);
    free(accumulator);
}

/* The pipeline fails without a status of the counts only if memory lacks. */
static simhash_doc_status settle(simhash_doc_accumulator *accumulator, bool done) {
    if (!done && accumulator->status == SIMHASH_DOC_OK) accumulator->status = SIMHASH_DOC_NO_MEMORY;
    return accumulator->status;
}

simhash_doc_status simhash_doc_accumulator_add(simhash_doc_accumulator *accumulator, const char *piece, size_t size) {
    if (accumulator->status != SIMHASH_DOC_OK) return accumulator->status;
    if (accumulator->ended) return SIMHASH_DOC_ENDED;
    return settle(accumulator, sdoc_pipeline_add(&accumulator->pipeline, (const uint8_t *)piece, size));
}

simhash_doc_status simhash_doc_accumulator_buckets(simhash_doc_accumulator *accumulator, simhash_doc_scheme scheme,
                                                   int8_t buckets[SIMHASH_DOC_MAX_BITS]) {
    if (accumulator->status != SIMHASH_DOC_OK) return accumulator->status;
    if (!accumulator->ended) {
        accumulator->ended = true;
        if (settle(accumulator, sdoc_pipeline_end(&accumulator->pipeline)) != SIMHASH_DOC_OK)
            return accumulator->status;
    }
    return sdoc_counts_buckets(&accumulator->counts, scheme, buckets);
}

simhash_doc_status simhash_doc_accumulator_fingerprint(simhash_doc_accumulator *accumulator, simhash_doc_scheme scheme,
                                                       simhash_doc_fingerprint *fingerprint) {
    int8_t buckets[SIMHASH_DOC_MAX_BITS];
    simhash_doc_status status = simhash_doc_accumulator_buckets(accumulator, scheme, buckets);
    if (status != SIMHASH_DOC_OK) return status;
    *fingerprint = (simhash_doc_fingerprint){.scheme = scheme, .canonical = true};
    for (unsigned bit = 0; bit < simhash_doc_scheme_bits(scheme); bit++)
        fingerprint->lanes[bit / 64] |= (uint64_t)(buckets[bit] > 0) << bit % 64;
    return SIMHASH_DOC_OK;
}

static simhash_doc_status compute(simhash_doc_accumulator *accumulator, const char *text, size_t size,
                                  simhash_doc_scheme scheme, simhash_doc_fingerprint *fingerprint) {
    simhash_doc_status status = simhash_doc_accumulator_add(accumulator, text, size);
    return status == SIMHASH_DOC_OK ? simhash_doc_accumulator_fingerprint(accumulator, scheme, fingerprint) : status;
}

simhash_doc_status simhash_doc_compute(const char *text, size_t size, simhash_doc_scheme scheme,
                                       simhash_doc_fingerprint *fingerprint) {
    simhash_doc_accumulator accumulator;
    if (!begin(&accumulator)) return SIMHASH_DOC_NO_MEMORY;
    simhash_doc_status status = compute(&accumulator, text, size, scheme, fingerprint);
    release(&accumulator);
    return status;
}

/* A quarter of the memory is for the folded text, of which a byte of the text gives at most 11 (U+FDFA); the rest is for
 * the tokens. A distinct token takes at least three bytes of the text, such as two letters and a space, and needs its
 * bytes, an entry of 32 and at most four slots. SIMHASH_DOC_MEMORY has room for all of these. */
simhash_doc_status simhash_doc_compute_in(void *memory, size_t memory_size, const char *text, size_t size,
                                          simhash_doc_scheme scheme, simhash_doc_fingerprint *fingerprint) {
    simhash_doc_accumulator accumulator;
    size_t unaligned = (0 - (uintptr_t)memory) % sizeof(uint64_t);
    if (memory_size < unaligned) return SIMHASH_DOC_NO_MEMORY;
    uint8_t *bytes = (uint8_t *)memory + unaligned;
    size_t quarter = (memory_size - unaligned) / 4;
    begin_pipeline(&accumulator);
    if (!sdoc_counts_begin_in(&accumulator.counts, bytes, 3 * quarter)) return SIMHASH_DOC_NO_MEMORY;
    accumulator.pipeline.folder.text =
        (struct buffer){.bytes = bytes + 3 * quarter, .capacity = quarter, .fixed = true};
    return compute(&accumulator, text, size, scheme, fingerprint);
}

simhash_doc_status simhash_doc_compute_buckets(const char *text, size_t size, simhash_doc_scheme scheme,
                                               int8_t buckets[SIMHASH_DOC_MAX_BITS]) {
    simhash_doc_accumulator accumulator;
    if (!begin(&accumulator)) return SIMHASH_DOC_NO_MEMORY;
    simhash_doc_status status = simhash_doc_accumulator_add(&accumulator, text, size);
    if (status == SIMHASH_DOC_OK) status = simhash_doc_accumulator_buckets(&accumulator, scheme, buckets);
    release(&accumulator);
    return status;
}
