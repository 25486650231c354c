/* The steps that lead to a fingerprint, one by one. */
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"
#include "simhash_doc.h"
#include "xxh64.h"

simhash_doc_status simhash_doc_fold(const char *text, size_t size, simhash_doc_string *folded) {
    struct folder folder = {0};
    bool done = sdoc_reserve(&folder.text, 1) && sdoc_folder_add(&folder, (const uint8_t *)text, size) &&
                sdoc_folder_end(&folder);
    if (!done) {
        free(folder.text.bytes);
        return SIMHASH_DOC_NO_MEMORY;
    }
    *folded = (simhash_doc_string){(char *)folder.text.bytes, folder.text.size};
    return SIMHASH_DOC_OK;
}

/* Return the end of the link that starts at a place; the place itself if none does. */
static const uint8_t *link_end(struct place place) {
    enum link link = sdoc_match_link(&place);
    if (link == SDOC_TAIL) sdoc_continue_link(link, &place);
    while (link == SDOC_LABELS && !sdoc_continue_link(link, &place)) continue;
    return place.at;
}

simhash_doc_status simhash_doc_remove_links(const char *folded, size_t size, simhash_doc_string *link_free) {
    uint8_t *out = malloc(size + 1), *next = out;
    if (!out) return SIMHASH_DOC_NO_MEMORY;
    struct place place = {(const uint8_t *)folded, (const uint8_t *)folded + size};
    for (bool after_word = false; place.at < place.end;
         after_word = sdoc_is_word((struct place){place.at - 1, place.end})) {
        const uint8_t *end = !after_word && sdoc_is_word(place) ? link_end(place) : place.at;
        *next++ = end > place.at ? ' ' : *place.at;
        place.at = end > place.at ? end : place.at + 1;
    }
    *link_free = (simhash_doc_string){(char *)out, (size_t)(next - out)};
    return SIMHASH_DOC_OK;
}

struct receiver {
    simhash_doc_token_callback callback;
    void *context;
    bool stopped;
};

static bool receive(void *context, const uint8_t *token, size_t size) {
    struct receiver *receiver = context;
    receiver->stopped = !receiver->callback(receiver->context, (const char *)token, size);
    return !receiver->stopped;
}

simhash_doc_status simhash_doc_tokens(const char *text, size_t size, simhash_doc_token_callback callback,
                                      void *context) {
    struct receiver receiver = {callback, context, false};
    struct pipeline pipeline = {.cutter = {.sink = receive, .context = &receiver}};
    bool done = sdoc_pipeline_add(&pipeline, (const uint8_t *)text, size) && sdoc_pipeline_end(&pipeline);
    free(pipeline.folder.text.bytes);
    return done || receiver.stopped ? SIMHASH_DOC_OK : SIMHASH_DOC_NO_MEMORY;
}

void simhash_doc_hash(const char *token, size_t size, simhash_doc_scheme scheme,
                      uint64_t hashes[SIMHASH_DOC_MAX_LANES]) {
    for (unsigned lane = 0; lane < simhash_doc_scheme_lanes(scheme); lane++)
        hashes[lane] = sdoc_xxh64((const uint8_t *)token, size, lane);
}
