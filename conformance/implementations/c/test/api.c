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
    simhash_doc_index_free(index);
}

int main(void) {
    a_fingerprint_is_a_value();
    an_error_leaves_the_result_as_it_was();
    an_accumulator_takes_no_text_after_its_first_result();
    a_callback_can_stop();
    links_are_removed_from_a_folded_text();
    an_index_is_of_one_scheme();
}
