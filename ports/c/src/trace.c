/* The results of all steps at once. */
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "simhash_doc.h"

struct collector {
    simhash_doc_trace *trace;
    size_t capacity;
    simhash_doc_scheme scheme;
    simhash_doc_status status;
};

/* Append a copy of a token; return false if memory lacks. */
static bool append(struct collector *collector, const char *bytes, size_t size) {
    simhash_doc_trace *trace = collector->trace;
    simhash_doc_token *tokens = sdoc_grow(trace->tokens, trace->token_count, &collector->capacity, sizeof *tokens);
    if (!tokens) return false;
    trace->tokens = tokens;
    simhash_doc_token token = {.bytes = malloc(size), .size = size};
    if (!token.bytes) return false;
    memcpy(token.bytes, bytes, size);
    simhash_doc_hash(bytes, size, collector->scheme, token.hashes);
    tokens[trace->token_count++] = token;
    return true;
}

static bool collect(void *context, const char *token, size_t size) {
    struct collector *collector = context;
    if (!append(collector, token, size)) collector->status = SIMHASH_DOC_NO_MEMORY;
    return collector->status == SIMHASH_DOC_OK;
}

static simhash_doc_status trace_tokens(const char *text, size_t size, simhash_doc_scheme scheme,
                                       simhash_doc_trace *trace) {
    struct collector collector = {.trace = trace, .scheme = scheme};
    simhash_doc_status status = simhash_doc_tokens(text, size, collect, &collector);
    return status == SIMHASH_DOC_OK ? collector.status : status;
}

static simhash_doc_status trace_fingerprint(const char *text, size_t size, simhash_doc_scheme scheme,
                                            simhash_doc_trace *trace) {
    simhash_doc_accumulator *accumulator = simhash_doc_accumulator_new();
    if (!accumulator) return SIMHASH_DOC_NO_MEMORY;
    simhash_doc_status status = simhash_doc_accumulator_add(accumulator, text, size);
    if (status == SIMHASH_DOC_OK) status = simhash_doc_accumulator_buckets(accumulator, scheme, trace->buckets);
    if (status == SIMHASH_DOC_OK)
        status = simhash_doc_accumulator_fingerprint(accumulator, scheme, &trace->fingerprint);
    if (status == SIMHASH_DOC_OK) simhash_doc_format(&trace->fingerprint, trace->text);
    simhash_doc_accumulator_free(accumulator);
    trace->result = status;
    return status == SIMHASH_DOC_NO_TOKEN ? SIMHASH_DOC_OK : status;
}

simhash_doc_status simhash_doc_compute_trace(const char *text, size_t size, simhash_doc_scheme scheme,
                                             simhash_doc_trace *trace) {
    simhash_doc_trace steps = {0};
    simhash_doc_status status = simhash_doc_fold(text, size, &steps.folded);
    if (status == SIMHASH_DOC_OK)
        status = simhash_doc_remove_links(steps.folded.bytes, steps.folded.size, &steps.link_free);
    if (status == SIMHASH_DOC_OK) status = trace_tokens(text, size, scheme, &steps);
    if (status == SIMHASH_DOC_OK) status = trace_fingerprint(text, size, scheme, &steps);
    if (status == SIMHASH_DOC_OK)
        *trace = steps;
    else
        simhash_doc_trace_free(&steps);
    return status;
}

void simhash_doc_trace_free(simhash_doc_trace *trace) {
    for (size_t i = 0; i < trace->token_count; i++) free(trace->tokens[i].bytes);
    free(trace->tokens);
    free(trace->folded.bytes);
    free(trace->link_free.bytes);
    *trace = (simhash_doc_trace){0};
}
