#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void differ(const char *what, const uint8_t *bytes, size_t size) {
    fprintf(stderr, "%s differs for", what);
    for (size_t i = 0; i < size; i++) fprintf(stderr, " %02x", bytes[i]);
    fputs("\n", stderr);
    abort();
}

static void put_result(simhash_doc_status status, const simhash_doc_fingerprint *fingerprint, char text[128]) {
    if (status == SIMHASH_DOC_OK)
        simhash_doc_format(fingerprint, text);
    else
        strcpy(text, simhash_doc_status_name(status));
}

/* Add a document in pieces, the sizes of which the document itself decides. */
static void add_pieces(simhash_doc_accumulator *accumulator, const uint8_t *bytes, size_t size) {
    for (size_t at = 0, piece; at < size; at += piece) {
        piece = 1 + bytes[at] % 7 * (bytes[size - 1] % 60U);
        if (piece > size - at) piece = size - at;
        simhash_doc_accumulator_add(accumulator, (const char *)bytes + at, piece);
    }
}

static bool same_string(simhash_doc_string a, simhash_doc_string b) {
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static void put_fingerprint(const char *bytes, size_t size, simhash_doc_scheme scheme, char text[128]) {
    simhash_doc_fingerprint fingerprint;
    put_result(simhash_doc_compute(bytes, size, scheme, &fingerprint), &fingerprint, text);
}

/* Check that folding the folded text changes nothing, and that it has the fingerprint of the document. */
static void check_fold(const uint8_t *bytes, size_t size) {
    simhash_doc_string folded, again;
    char expected[128], given[128];
    if (simhash_doc_fold((const char *)bytes, size, &folded) != SIMHASH_DOC_OK) abort();
    if (simhash_doc_fold(folded.bytes, folded.size, &again) != SIMHASH_DOC_OK) abort();
    if (!same_string(folded, again)) differ("the folded text", bytes, size);
    put_fingerprint((const char *)bytes, size, SIMHASH_DOC_SD128, expected);
    put_fingerprint(folded.bytes, folded.size, SIMHASH_DOC_SD128, given);
    if (strcmp(expected, given) != 0) differ("the fingerprint of the folded text", bytes, size);
    free(folded.bytes);
    free(again.bytes);
}

/* How many tokens of a trace are the same as those of the step. */
struct same_tokens {
    const simhash_doc_trace *trace;
    size_t count;
    bool all;
};

static bool compare_token(void *context, const char *bytes, size_t size) {
    struct same_tokens *same = context;
    const simhash_doc_token *token = same->count < same->trace->token_count ? &same->trace->tokens[same->count] : NULL;
    same->all = token && token->size == size && memcmp(token->bytes, bytes, size) == 0;
    same->count += same->all;
    return same->all;
}

static bool same_texts(const simhash_doc_trace *trace, const char *text, size_t size) {
    simhash_doc_string folded, link_free;
    if (simhash_doc_fold(text, size, &folded) != SIMHASH_DOC_OK) abort();
    if (simhash_doc_remove_links(folded.bytes, folded.size, &link_free) != SIMHASH_DOC_OK) abort();
    bool same = same_string(trace->folded, folded) && same_string(trace->link_free, link_free);
    free(folded.bytes);
    free(link_free.bytes);
    return same;
}

static bool same_tokens(const simhash_doc_trace *trace, const char *text, size_t size, simhash_doc_scheme scheme) {
    struct same_tokens same = {trace, 0, true};
    if (simhash_doc_tokens(text, size, compare_token, &same) != SIMHASH_DOC_OK) abort();
    if (!same.all || same.count != trace->token_count) return false;
    for (size_t i = 0; i < trace->token_count; i++) {
        const simhash_doc_token *token = &trace->tokens[i];
        uint64_t hashes[SIMHASH_DOC_MAX_LANES] = {0};
        simhash_doc_hash(token->bytes, token->size, scheme, hashes);
        if (memcmp(token->hashes, hashes, sizeof hashes) != 0) return false;
    }
    return true;
}

static bool same_result(const simhash_doc_trace *trace, const char *text, size_t size, simhash_doc_scheme scheme) {
    int8_t buckets[SIMHASH_DOC_MAX_BITS] = {0};
    simhash_doc_fingerprint fingerprint = {0};
    char form[SIMHASH_DOC_TEXT_SIZE] = "";
    if (simhash_doc_compute_buckets(text, size, scheme, buckets) != trace->result) return false;
    if (simhash_doc_compute(text, size, scheme, &fingerprint) == SIMHASH_DOC_OK) simhash_doc_format(&fingerprint, form);
    return memcmp(trace->buckets, buckets, sizeof buckets) == 0 && strcmp(trace->text, form) == 0 &&
           memcmp(trace->fingerprint.lanes, fingerprint.lanes, sizeof fingerprint.lanes) == 0;
}

void check_trace(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme) {
    const char *text = (const char *)bytes;
    simhash_doc_trace trace;
    if (simhash_doc_compute_trace(text, size, scheme, &trace) != SIMHASH_DOC_OK) abort();
    if (!same_texts(&trace, text, size) || !same_tokens(&trace, text, size, scheme) ||
        !same_result(&trace, text, size, scheme))
        differ("trace", bytes, size);
    simhash_doc_trace_free(&trace);
}

void check_memory(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme) {
    size_t enough = SIMHASH_DOC_MEMORY(size), few = enough / (size % 97 + 1);
    char expected[128], given[128];
    put_fingerprint((const char *)bytes, size, scheme, expected);
    for (int round = 0; round < 2; round++) {
        /* Its end is the end of a block, which sanitizers and valgrind watch. */
        size_t memory_size = round == 0 ? enough : few;
        simhash_doc_fingerprint fingerprint;
        void *memory = malloc(memory_size);
        if (!memory) abort();
        simhash_doc_status status =
            simhash_doc_compute_in(memory, memory_size, (const char *)bytes, size, scheme, &fingerprint);
        put_result(status, &fingerprint, given);
        if (strcmp(expected, given) != 0 && (round == 0 || status != SIMHASH_DOC_NO_MEMORY))
            differ("fingerprint in a given memory", bytes, size);
        free(memory);
    }
}

void check_document(const uint8_t *bytes, size_t size) {
    check_fold(bytes, size);
    for (int scheme = SIMHASH_DOC_SD64; scheme <= SIMHASH_DOC_SD512; scheme += 3) {
        simhash_doc_fingerprint fingerprint;
        char expected[128], given[128];
        put_fingerprint((const char *)bytes, size, (simhash_doc_scheme)scheme, expected);
        check_memory(bytes, size, (simhash_doc_scheme)scheme);
        check_trace(bytes, size, (simhash_doc_scheme)scheme);
        simhash_doc_accumulator *accumulator = simhash_doc_accumulator_new();
        if (!accumulator) abort();
        add_pieces(accumulator, bytes, size);
        put_result(simhash_doc_accumulator_fingerprint(accumulator, (simhash_doc_scheme)scheme, &fingerprint),
                   &fingerprint, given);
        if (strcmp(expected, given) != 0) differ("fingerprint in pieces", bytes, size);
        simhash_doc_accumulator_free(accumulator);
    }
}

void check_text_form(const uint8_t *bytes, size_t size) {
    simhash_doc_fingerprint fingerprint, again;
    uint8_t value[SIMHASH_DOC_MAX_BYTES];
    char text[SIMHASH_DOC_TEXT_SIZE];
    if (simhash_doc_parse((const char *)bytes, size, NULL, &fingerprint) != SIMHASH_DOC_OK) return;
    size_t length = simhash_doc_format(&fingerprint, text);
    for (size_t i = 1; i <= simhash_doc_scheme_characters(fingerprint.scheme); i++) {
        uint8_t given = bytes[size - i];
        if (text[length - i] != (given >= 'A' && given <= 'Z' ? given + 32 : given)) differ("format", bytes, size);
    }
    size_t lanes = simhash_doc_to_bytes(&fingerprint, value);
    if (simhash_doc_from_bytes(value, lanes, fingerprint.scheme, fingerprint.canonical, &again) != SIMHASH_DOC_OK ||
        memcmp(again.lanes, fingerprint.lanes, lanes) != 0)
        differ("bytes", bytes, size);
    if (simhash_doc_parse(text, length, &fingerprint.scheme, &again) != SIMHASH_DOC_OK ||
        again.canonical != fingerprint.canonical || memcmp(again.lanes, fingerprint.lanes, lanes) != 0)
        differ("parse", bytes, size);
}
