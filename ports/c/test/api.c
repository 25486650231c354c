/* What the vectors do not show: the interface of C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simhash_doc.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static simhash_doc_fingerprint parsed(const char *text) {
    simhash_doc_fingerprint fingerprint;
    CHECK(simhash_doc_parse(text, strlen(text), NULL, &fingerprint) == SIMHASH_DOC_OK);
    return fingerprint;
}

static void a_fingerprint_is_a_value(void) {
    simhash_doc_fingerprint custom = parsed("SD64+custom:AAAAAAAAAAAAO"), zero = parsed("aaaaaaaaaaaaa");
    char text[SIMHASH_DOC_TEXT_SIZE];
    unsigned distance;
    CHECK(!custom.canonical && custom.lanes[0] == 7);
    CHECK(simhash_doc_format(&custom, text) == strlen(text) && strcmp(text, "sd64+custom:aaaaaaaaaaaao") == 0);
    CHECK(simhash_doc_distance(&custom, &zero, &distance) == SIMHASH_DOC_OK && distance == 3);
    CHECK(simhash_doc_similarity(SIMHASH_DOC_SD64, 16) == 0.75);
    CHECK(simhash_doc_scheme_close(SIMHASH_DOC_SD256) == 26 && simhash_doc_scheme_loose(SIMHASH_DOC_SD256) == 36);
}

static void an_error_leaves_the_result_as_it_was(void) {
    simhash_doc_fingerprint fingerprint = parsed("sd64:aaaaaaaaaaaao");
    const simhash_doc_scheme wide = SIMHASH_DOC_SD128;
    const char *text = "sd64:raeidodvqipge";
    CHECK(simhash_doc_parse(text, strlen(text), &wide, &fingerprint) == SIMHASH_DOC_SCHEME_MISMATCH);
    CHECK(simhash_doc_compute("2024 !", 6, SIMHASH_DOC_SD64, &fingerprint) == SIMHASH_DOC_NO_TOKEN);
    CHECK(simhash_doc_compute(NULL, 0, SIMHASH_DOC_SD64, &fingerprint) == SIMHASH_DOC_NO_TOKEN);
    CHECK(simhash_doc_parse(NULL, 0, NULL, &fingerprint) == SIMHASH_DOC_BAD_LENGTH);
    CHECK(fingerprint.lanes[0] == 7);
    CHECK(strcmp(simhash_doc_status_name(SIMHASH_DOC_NO_TOKEN), "no-token") == 0);
}

static void narrowing_keeps_the_first_bytes(void) {
    uint8_t bytes[SIMHASH_DOC_MAX_BYTES];
    simhash_doc_fingerprint read, narrowed, expected;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(255 - 37 * i);
    for (simhash_doc_scheme wide = SIMHASH_DOC_SD64; wide <= SIMHASH_DOC_SD512; wide++) {
        for (simhash_doc_scheme scheme = SIMHASH_DOC_SD64; scheme <= SIMHASH_DOC_SD512; scheme++) {
            CHECK(simhash_doc_from_bytes(bytes, simhash_doc_scheme_bits(wide) / 8, wide, false, &read) == 0);
            CHECK(simhash_doc_from_bytes(bytes, simhash_doc_scheme_bits(scheme) / 8, scheme, false, &expected) == 0);
            narrowed = parsed("sd64:aaaaaaaaaaaao");
            simhash_doc_status status = simhash_doc_narrow(&read, scheme, &narrowed);
            CHECK(status == (scheme > wide ? SIMHASH_DOC_SCHEME_MISMATCH : SIMHASH_DOC_OK));
            if (scheme > wide) expected = parsed("sd64:aaaaaaaaaaaao");
            CHECK(narrowed.scheme == expected.scheme && narrowed.canonical == expected.canonical);
            CHECK(memcmp(narrowed.lanes, expected.lanes, sizeof expected.lanes) == 0);
        }
    }
    char text[SIMHASH_DOC_TEXT_SIZE];
    read = parsed("7777777777777777777777777y");
    CHECK(simhash_doc_narrow(&read, SIMHASH_DOC_SD64, &read) == SIMHASH_DOC_OK && simhash_doc_format(&read, text) > 0);
    CHECK(strcmp(text, "sd64:7777777777776") == 0); /* not the first 13 characters */
}

static void an_accumulator_takes_no_text_after_its_first_result(void) {
    simhash_doc_accumulator *accumulator = simhash_doc_accumulator_new();
    simhash_doc_fingerprint whole, pieces;
    CHECK(accumulator);
    CHECK(simhash_doc_accumulator_add(accumulator, "one t", 5) == SIMHASH_DOC_OK);
    CHECK(simhash_doc_accumulator_add(accumulator, "wo", 2) == SIMHASH_DOC_OK);
    for (int scheme = SIMHASH_DOC_SD64; scheme <= SIMHASH_DOC_SD512; scheme++) {
        CHECK(simhash_doc_compute("one two", 7, (simhash_doc_scheme)scheme, &whole) == SIMHASH_DOC_OK);
        CHECK(simhash_doc_accumulator_fingerprint(accumulator, (simhash_doc_scheme)scheme, &pieces) == SIMHASH_DOC_OK);
        CHECK(memcmp(whole.lanes, pieces.lanes, sizeof whole.lanes) == 0);
    }
    CHECK(simhash_doc_accumulator_add(accumulator, " three", 6) == SIMHASH_DOC_ENDED);
    simhash_doc_accumulator_free(accumulator);
    simhash_doc_accumulator_free(NULL);
}

static bool first_only(void *context, const char *token, size_t size) {
    simhash_doc_string *first = context;
    CHECK(size == first->size && memcmp(token, first->bytes, size) == 0);
    first->size = 0;
    return false;
}

static void a_callback_can_stop(void) {
    simhash_doc_string first = {"one", 3};
    CHECK(simhash_doc_tokens("one two", 7, first_only, &first) == SIMHASH_DOC_OK && first.size == 0);
}

static void links_are_removed_from_a_folded_text(void) {
    const char *folded = "see http://a.example/x?y=(1). now";
    simhash_doc_string link_free;
    CHECK(simhash_doc_remove_links(folded, strlen(folded), &link_free) == SIMHASH_DOC_OK);
    CHECK(link_free.size == 9 && memcmp(link_free.bytes, "see   now", 9) == 0);
    free(link_free.bytes);
}

static void check_string(const char *bytes, size_t size, const char *expected) {
    CHECK(size == strlen(expected) && memcmp(bytes, expected, size) == 0);
}

/* The example of section 2 of the specification. */
static void a_trace_has_the_results_of_all_steps(void) {
    static const char *const TOKENS[] = {"the", "first", "caf\u00e9", "opens", "see", "\u6771\u4eac"};
    static const uint64_t HASHES[] = {0x4b1b03a21f8b5f26, 0xcc98257fe4be8f5a, 0x9a40a9b974d85a6a,
                                      0x1eabd1d6e9574760, 0xa067a3b8f78218fa, 0x954cd0c831e41454};
    static const int8_t BUCKETS[] = {-6, 2, -2, 0, 0,  2, 4,  -4, 0, 2,  2,  2,  2, -6, 0, -4, -2, 2, 0,  0,  0,  -2, 0,
                                     4,  2, -2, 2, -2, 2, 4,  2,  0, -2, 0,  -2, 2, 2,  2, 0,  4,  4, -2, -4, -4, -2, 0,
                                     -2, 2, 0,  0, -2, 2, -2, -2, 0, -2, -2, 0,  0, 2,  0, -4, -2, 2};
    const char *text = "The \ufb01rst _CAF\u00c9_ opens; see https://example.org/menu. \u6771\u4eac 2024";
    simhash_doc_trace trace;
    CHECK(simhash_doc_compute_trace(text, strlen(text), SIMHASH_DOC_SD64, &trace) == SIMHASH_DOC_OK);
    check_string(trace.folded.bytes, trace.folded.size,
                 "the first _caf\u00e9_ opens; see https://example.org/menu. \u6771\u4eac 2024");
    check_string(trace.link_free.bytes, trace.link_free.size, "the first _caf\u00e9_ opens; see   \u6771\u4eac 2024");
    CHECK(trace.token_count == 6 && trace.result == SIMHASH_DOC_OK);
    for (size_t i = 0; i < 6; i++) {
        check_string(trace.tokens[i].bytes, trace.tokens[i].size, TOKENS[i]);
        CHECK(trace.tokens[i].hashes[0] == HASHES[i] && trace.tokens[i].hashes[1] == 0);
    }
    CHECK(memcmp(trace.buckets, BUCKETS, sizeof BUCKETS) == 0);
    CHECK(trace.fingerprint.lanes[0] == 0x880881b875821e62 && trace.fingerprint.canonical);
    CHECK(strcmp(trace.text, "sd64:raeidodvqipge") == 0);
    simhash_doc_trace_free(&trace);
    CHECK(!trace.folded.bytes && !trace.link_free.bytes && !trace.tokens && trace.token_count == 0);
    simhash_doc_trace_free(&trace);
}

static void a_text_without_tokens_has_a_trace(void) {
    simhash_doc_trace trace;
    CHECK(simhash_doc_compute_trace("2024 !", 6, SIMHASH_DOC_SD512, &trace) == SIMHASH_DOC_OK);
    check_string(trace.link_free.bytes, trace.link_free.size, "2024 !");
    CHECK(trace.result == SIMHASH_DOC_NO_TOKEN && trace.token_count == 0 && !trace.text[0]);
    simhash_doc_trace_free(&trace);
    CHECK(simhash_doc_compute_trace(NULL, 0, SIMHASH_DOC_SD64, &trace) == SIMHASH_DOC_OK);
    CHECK(trace.result == SIMHASH_DOC_NO_TOKEN && trace.folded.size == 0 && trace.link_free.size == 0);
    simhash_doc_trace_free(&trace);
}

static bool count_entries(void *context, size_t entry) {
    size_t *count = context;
    CHECK(entry == (*count)++);
    return true;
}

static void an_index_is_of_one_scheme(void) {
    simhash_doc_index *index = simhash_doc_index_new(SIMHASH_DOC_SD64);
    simhash_doc_fingerprint zero = parsed("aaaaaaaaaaaaa"), wide = parsed("aaaaaaaaaaaaaaaaaaaaaaaaaa");
    size_t count = 0;
    CHECK(index);
    CHECK(simhash_doc_index_add(index, &zero) == SIMHASH_DOC_OK);
    CHECK(simhash_doc_index_add(index, &wide) == SIMHASH_DOC_SCHEME_MISMATCH);
    CHECK(simhash_doc_index_query(index, &zero, 0, count_entries, &count) == SIMHASH_DOC_OK && count == 1);
    CHECK(simhash_doc_index_query(index, &wide, 0, count_entries, &count) == SIMHASH_DOC_SCHEME_MISMATCH);
    CHECK(!simhash_doc_index_remove(index, 1) && simhash_doc_index_remove(index, 0));
    CHECK(simhash_doc_index_query(index, &zero, 0, count_entries, &count) == SIMHASH_DOC_OK && count == 1);
    CHECK(!simhash_doc_index_remove(index, 0));
    simhash_doc_index_free(index);
}

int main(void) {
    a_fingerprint_is_a_value();
    an_error_leaves_the_result_as_it_was();
    narrowing_keeps_the_first_bytes();
    an_accumulator_takes_no_text_after_its_first_result();
    a_callback_can_stop();
    links_are_removed_from_a_folded_text();
    a_trace_has_the_results_of_all_steps();
    a_text_without_tokens_has_a_trace();
    an_index_is_of_one_scheme();
}
