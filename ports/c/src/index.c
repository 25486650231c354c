/* Near-duplicate search: every entry is compared. */
#include <stdlib.h>

#include "buffer.h"
#include "simhash_doc.h"

struct simhash_doc_index {
    simhash_doc_scheme scheme;
    simhash_doc_fingerprint *entries;
    size_t count, capacity;
};

simhash_doc_index *simhash_doc_index_new(simhash_doc_scheme scheme) {
    simhash_doc_index *index = calloc(1, sizeof *index);
    if (index) index->scheme = scheme;
    return index;
}

void simhash_doc_index_free(simhash_doc_index *index) {
    if (!index) return;
    free(index->entries);
    free(index);
}

simhash_doc_status simhash_doc_index_add(simhash_doc_index *index, const simhash_doc_fingerprint *fingerprint) {
    if (fingerprint->scheme != index->scheme) return SIMHASH_DOC_SCHEME_MISMATCH;
    void *entries = sdoc_grow(index->entries, index->count, &index->capacity, sizeof *index->entries);
    if (!entries) return SIMHASH_DOC_NO_MEMORY;
    index->entries = entries;
    index->entries[index->count++] = *fingerprint;
    return SIMHASH_DOC_OK;
}

bool simhash_doc_index_remove(simhash_doc_index *index, size_t entry) {
    if (entry >= index->count) return false;
    index->entries[entry] = index->entries[--index->count];
    return true;
}

static bool within(const simhash_doc_fingerprint *a, const simhash_doc_fingerprint *b, unsigned distance) {
    unsigned bits;
    return simhash_doc_distance(a, b, &bits) == SIMHASH_DOC_OK && bits <= distance;
}

simhash_doc_status simhash_doc_index_query(const simhash_doc_index *index, const simhash_doc_fingerprint *fingerprint,
                                           unsigned distance, simhash_doc_entry_callback callback, void *context) {
    if (fingerprint->scheme != index->scheme) return SIMHASH_DOC_SCHEME_MISMATCH;
    for (size_t i = 0; i < index->count; i++)
        if (within(fingerprint, &index->entries[i], distance) && !callback(context, i)) break;
    return SIMHASH_DOC_OK;
}

void simhash_doc_index_pairs(const simhash_doc_index *index, unsigned distance, simhash_doc_pair_callback callback,
                             void *context) {
    for (size_t i = 0; i < index->count; i++)
        for (size_t j = i + 1; j < index->count; j++)
            if (within(&index->entries[i], &index->entries[j], distance) && !callback(context, i, j)) return;
}
