#include "operations.h"

#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "search.h"

const char OPERATION_NAMES[] =
    "[\"fingerprint\",\"encode\",\"decode\",\"distance\",\"narrow\",\"fold\",\"tokens\",\"hash_tokens\",\"buckets\","
    "\"query\",\"find_all\",\"update\",\"trace\"]";

static struct text text_of(const struct json *request, const char *name) {
    return json_member(request, name)->text;
}

static simhash_doc_status scheme_of(const struct json *request, simhash_doc_scheme *scheme) {
    struct text name = text_of(request, "scheme");
    return simhash_doc_scheme_find(name.bytes, name.size, scheme);
}

static void put_hex(struct output *output, uint64_t number, int digits) {
    char hex[17];
    snprintf(hex, sizeof hex, "%0*llx", digits, (unsigned long long)number);
    put(output, hex);
}

static void put_fingerprint(struct output *output, const simhash_doc_fingerprint *fingerprint) {
    char text[SIMHASH_DOC_TEXT_SIZE];
    put_string(output, text, simhash_doc_format(fingerprint, text));
}

static void put_buckets(struct output *output, simhash_doc_scheme scheme, const int8_t *buckets) {
    for (unsigned i = 0; i < simhash_doc_scheme_bits(scheme); i++) {
        put(output, i ? "," : "[");
        put_number(output, buckets[i]);
    }
    put(output, "]");
}

/* Compute a fingerprint from the pieces of a document that end at the cuts. */
static simhash_doc_status compute_pieces(struct output document, const struct json *cuts, simhash_doc_scheme scheme,
                                         simhash_doc_fingerprint *computed) {
    simhash_doc_accumulator *accumulator = simhash_doc_accumulator_new();
    if (!accumulator) return SIMHASH_DOC_NO_MEMORY;
    simhash_doc_status status = SIMHASH_DOC_OK;
    size_t start = 0;
    for (const struct json *cut = cuts->child; cut && status == SIMHASH_DOC_OK; cut = cut->next) {
        size_t end = json_number(cut);
        status = simhash_doc_accumulator_add(accumulator, document.bytes + start, end - start);
        start = end;
    }
    if (status == SIMHASH_DOC_OK)
        status = simhash_doc_accumulator_add(accumulator, document.bytes + start, document.size - start);
    if (status == SIMHASH_DOC_OK) status = simhash_doc_accumulator_fingerprint(accumulator, scheme, computed);
    simhash_doc_accumulator_free(accumulator);
    return status;
}

static simhash_doc_status fingerprint(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    simhash_doc_fingerprint computed;
    simhash_doc_status status = scheme_of(request, &scheme);
    if (status != SIMHASH_DOC_OK) return status;
    struct output document = document_of(request);
    const struct json *cuts = json_member(request, "cuts");
    status = cuts ? compute_pieces(document, cuts, scheme, &computed)
                  : simhash_doc_compute(document.bytes, document.size, scheme, &computed);
    if (status == SIMHASH_DOC_OK) put_fingerprint(output, &computed);
    free(document.bytes);
    return status;
}

static simhash_doc_status buckets(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    int8_t computed[SIMHASH_DOC_MAX_BITS];
    simhash_doc_status status = scheme_of(request, &scheme);
    if (status != SIMHASH_DOC_OK) return status;
    struct output document = document_of(request);
    status = simhash_doc_compute_buckets(document.bytes, document.size, scheme, computed);
    if (status == SIMHASH_DOC_OK) put_buckets(output, scheme, computed);
    free(document.bytes);
    return status;
}

static simhash_doc_status encode(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    simhash_doc_fingerprint read;
    simhash_doc_status status = scheme_of(request, &scheme);
    if (status != SIMHASH_DOC_OK) return status;
    struct output bytes = {0};
    put(&bytes, "");
    put_unhexed(&bytes, text_of(request, "hex"));
    bool canonical = json_member(request, "canonical")->type == JSON_TRUE;
    status = simhash_doc_from_bytes((const uint8_t *)bytes.bytes, bytes.size, scheme, canonical, &read);
    if (status == SIMHASH_DOC_OK) put_fingerprint(output, &read);
    free(bytes.bytes);
    return status;
}

static simhash_doc_status decode(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    simhash_doc_fingerprint read;
    bool expected = json_member(request, "scheme");
    simhash_doc_status status = expected ? scheme_of(request, &scheme) : SIMHASH_DOC_OK;
    struct text text = text_of(request, "text");
    if (status == SIMHASH_DOC_OK) status = simhash_doc_parse(text.bytes, text.size, expected ? &scheme : NULL, &read);
    if (status != SIMHASH_DOC_OK) return status;
    put(output, "{\"scheme\":\"");
    put(output, simhash_doc_scheme_id(read.scheme));
    put(output, "\",\"hex\":\"");
    uint8_t bytes[SIMHASH_DOC_MAX_BYTES];
    size_t size = simhash_doc_to_bytes(&read, bytes);
    for (size_t i = 0; i < size; i++) put_hex(output, bytes[i], 2);
    put(output, read.canonical ? "\",\"canonical\":true}" : "\",\"canonical\":false}");
    return SIMHASH_DOC_OK;
}

static simhash_doc_status distance(struct output *output, const struct json *request) {
    simhash_doc_fingerprint a, b;
    unsigned bits;
    simhash_doc_status status = parse_text_form(json_member(request, "a"), &a);
    if (status == SIMHASH_DOC_OK) status = parse_text_form(json_member(request, "b"), &b);
    if (status == SIMHASH_DOC_OK) status = simhash_doc_distance(&a, &b, &bits);
    if (status != SIMHASH_DOC_OK) return status;
    char numbers[80];
    double similarity = simhash_doc_similarity(a.scheme, bits);
    snprintf(numbers, sizeof numbers, "{\"distance\":%u,\"similarity\":%.17g}", bits, similarity);
    put(output, numbers);
    return SIMHASH_DOC_OK;
}

static simhash_doc_status narrow(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    simhash_doc_fingerprint read;
    simhash_doc_status status = scheme_of(request, &scheme);
    if (status == SIMHASH_DOC_OK) status = parse_text_form(json_member(request, "text"), &read);
    if (status == SIMHASH_DOC_OK) status = simhash_doc_narrow(&read, scheme, &read);
    if (status == SIMHASH_DOC_OK) put_fingerprint(output, &read);
    return status;
}

/* Write a text, or its digest if the request asks for that. */
static void put_digested(struct output *output, const struct json *request, const char *bytes, size_t size) {
    const struct json *digest = json_member(request, "digest");
    if (!digest || digest->type != JSON_TRUE) {
        put_string(output, bytes, size);
        return;
    }
    uint64_t hash[SIMHASH_DOC_MAX_LANES];
    simhash_doc_hash(bytes, size, SIMHASH_DOC_SD64, hash);
    put(output, "\"");
    put_hex(output, hash[0], 16);
    put(output, "\"");
}

static simhash_doc_status fold(struct output *output, const struct json *request) {
    simhash_doc_string folded;
    struct output document = document_of(request);
    simhash_doc_status status = simhash_doc_fold(document.bytes, document.size, &folded);
    if (status == SIMHASH_DOC_OK) {
        put_digested(output, request, folded.bytes, folded.size);
        free(folded.bytes);
    }
    free(document.bytes);
    return status;
}

struct tokens {
    struct text *all;
    size_t count, capacity;
};

static bool keep(void *context, const char *token, size_t size) {
    struct tokens *tokens = context;
    if (tokens->count == tokens->capacity) {
        tokens->capacity = 2 * tokens->capacity + 64;
        tokens->all = realloc(tokens->all, tokens->capacity * sizeof *tokens->all);
        if (!tokens->all) abort();
    }
    struct output copy = {0};
    put_bytes(&copy, token, size);
    tokens->all[tokens->count++] = (struct text){copy.bytes, copy.size};
    return true;
}

static int compare(const void *left, const void *right) {
    const struct text *a = left, *b = right;
    int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static void free_tokens(struct tokens *tokens) {
    for (size_t i = 0; i < tokens->count; i++) free(tokens->all[i].bytes);
    free(tokens->all);
}

static void put_tokens(struct output *output, const struct tokens *tokens) {
    put(output, "[");
    for (size_t i = 0; i < tokens->count; i++) {
        if (i) put(output, ",");
        put_string(output, tokens->all[i].bytes, tokens->all[i].size);
    }
    put(output, "]");
}

static simhash_doc_status tokens(struct output *output, const struct json *request) {
    struct tokens tokens = {0};
    struct output document = document_of(request);
    simhash_doc_status status = simhash_doc_tokens(document.bytes, document.size, keep, &tokens);
    const struct json *digest = json_member(request, "digest");
    if (status == SIMHASH_DOC_OK && digest && digest->type == JSON_TRUE) {
        if (tokens.count > 0) qsort(tokens.all, tokens.count, sizeof *tokens.all, compare);
        struct output lines = {0};
        put(&lines, "");
        for (size_t i = 0; i < tokens.count; i++) {
            put_bytes(&lines, tokens.all[i].bytes, tokens.all[i].size);
            put(&lines, "\n");
        }
        put_digested(output, request, lines.bytes, lines.size);
        free(lines.bytes);
    } else if (status == SIMHASH_DOC_OK) {
        put_tokens(output, &tokens);
    }
    free_tokens(&tokens);
    free(document.bytes);
    return status;
}

static simhash_doc_status hash_tokens(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    simhash_doc_status status = scheme_of(request, &scheme);
    if (status != SIMHASH_DOC_OK) return status;
    put(output, "[");
    const struct json *first = json_member(request, "tokens")->child;
    for (const struct json *token = first; token; token = token->next) {
        uint64_t hashes[SIMHASH_DOC_MAX_LANES];
        simhash_doc_hash(token->text.bytes, token->text.size, scheme, hashes);
        put(output, token == first ? "\"" : ",\"");
        for (unsigned lane = 0; lane < simhash_doc_scheme_lanes(scheme); lane++) put_hex(output, hashes[lane], 16);
        put(output, "\"");
    }
    put(output, "]");
    return SIMHASH_DOC_OK;
}

static simhash_doc_status trace(struct output *output, const struct json *request) {
    simhash_doc_scheme scheme;
    simhash_doc_trace computed;
    simhash_doc_status status = scheme_of(request, &scheme);
    if (status != SIMHASH_DOC_OK) return status;
    struct output document = document_of(request);
    status = simhash_doc_compute_trace(document.bytes, document.size, scheme, &computed);
    free(document.bytes);
    if (status != SIMHASH_DOC_OK) return status;
    put(output, "{\"folded\":");
    put_string(output, computed.folded.bytes, computed.folded.size);
    put(output, ",\"prepared\":");
    put_string(output, computed.link_free.bytes, computed.link_free.size);
    put(output, ",\"tokens\":[");
    for (size_t i = 0; i < computed.token_count; i++) {
        if (i) put(output, ",");
        put_string(output, computed.tokens[i].bytes, computed.tokens[i].size);
    }
    if (computed.result == SIMHASH_DOC_OK) {
        put(output, "],\"buckets\":");
        put_buckets(output, scheme, computed.buckets);
        put(output, ",\"fingerprint\":\"");
        put(output, computed.text);
    } else {
        put(output, "],\"error\":\"");
        put(output, simhash_doc_status_name(computed.result));
    }
    put(output, "\"}");
    simhash_doc_trace_free(&computed);
    return SIMHASH_DOC_OK;
}

void put_answer(struct output *output, const struct json *name, const struct json *request) {
    static const struct {
        const char *name;
        operation *run;
    } OPERATIONS[] = {
        {"fingerprint", fingerprint},
        {"encode", encode},
        {"decode", decode},
        {"distance", distance},
        {"narrow", narrow},
        {"fold", fold},
        {"tokens", tokens},
        {"hash_tokens", hash_tokens},
        {"buckets", buckets},
        {"query", answer_query},
        {"find_all", answer_find_all},
        {"update", answer_update},
        {"trace", trace},
    };
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
        if (!json_is(name, OPERATIONS[i].name)) continue;
        if (json_member(request, "cuts") && json_member(request, "utf16")) break; /* pieces are bytes */
        struct output result = {0};
        put(&result, "");
        simhash_doc_status status = OPERATIONS[i].run(&result, request);
        put(output, status == SIMHASH_DOC_OK ? "\"result\":" : "\"error\":\"");
        put(output, status == SIMHASH_DOC_OK ? result.bytes : simhash_doc_status_name(status));
        if (status != SIMHASH_DOC_OK) put(output, "\"");
        free(result.bytes);
        return;
    }
    put(output, "\"unsupported\":true");
}
