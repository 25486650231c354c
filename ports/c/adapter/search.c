#include "search.h"

#include <stdlib.h>
#include <string.h>

simhash_doc_status parse_text_form(const struct json *text, simhash_doc_fingerprint *read) {
    return simhash_doc_parse(text->text.bytes, text->text.size, NULL, read);
}

struct search {
    simhash_doc_index *index;
    /* The ids of the entries, by number. */
    const struct json **ids;
    size_t count, capacity;
    struct output *output;
    bool some;
};

static void put_id(struct search *search, size_t entry) {
    put_string(search->output, search->ids[entry]->text.bytes, search->ids[entry]->text.size);
}

static bool put_entry(void *context, size_t entry) {
    struct search *search = context;
    if (search->some) put(search->output, ",");
    search->some = true;
    put_id(search, entry);
    return true;
}

static bool put_pair(void *context, size_t first, size_t second) {
    struct search *search = context;
    put(search->output, search->some ? ",[" : "[");
    search->some = true;
    put_id(search, first);
    put(search->output, ",");
    put_id(search, second);
    put(search->output, "]");
    return true;
}

/* Check the text forms in their order, and then whether all are of one scheme. */
static simhash_doc_status check(const struct json *entries, const struct json *queries, simhash_doc_scheme *scheme) {
    bool first = true, mismatch = false;
    for (int list = 0; list < 2; list++) {
        const struct json *item = list == 0 ? entries->child : queries ? queries->child : NULL;
        for (; item; item = item->next) {
            simhash_doc_fingerprint read;
            simhash_doc_status status = parse_text_form(list == 0 ? item->child->next : item, &read);
            if (status != SIMHASH_DOC_OK) return status;
            if (first) *scheme = read.scheme;
            first = false;
            mismatch |= read.scheme != *scheme;
        }
    }
    return mismatch ? SIMHASH_DOC_SCHEME_MISMATCH : SIMHASH_DOC_OK;
}

static void begin_index(struct search *search, simhash_doc_scheme scheme) {
    search->index = simhash_doc_index_new(scheme);
    if (!search->index) abort();
}

static simhash_doc_status insert(struct search *search, const struct json *entries) {
    for (const struct json *entry = entries->child; entry; entry = entry->next) {
        simhash_doc_fingerprint read;
        simhash_doc_status status = parse_text_form(entry->child->next, &read);
        if (status == SIMHASH_DOC_OK) status = simhash_doc_index_add(search->index, &read);
        if (status != SIMHASH_DOC_OK) return status;
        if (search->count == search->capacity) {
            search->capacity = 2 * search->capacity + 64;
            /* NOLINTNEXTLINE(bugprone-sizeof-expression) */
            search->ids = realloc(search->ids, search->capacity * sizeof *search->ids);
            if (!search->ids) abort();
        }
        search->ids[search->count++] = entry->child;
    }
    return SIMHASH_DOC_OK;
}

static simhash_doc_status begin_search(struct search *search, const struct json *entries, const struct json *queries) {
    simhash_doc_scheme scheme = SIMHASH_DOC_SD64;
    simhash_doc_status status = check(entries, queries, &scheme);
    begin_index(search, scheme);
    return status == SIMHASH_DOC_OK ? insert(search, entries) : status;
}

static void end_search(struct search *search) {
    simhash_doc_index_free(search->index);
    free(search->ids);
}

static unsigned within(const struct json *request) {
    uint64_t most = json_number(json_member(request, "distance"));
    return most < SIMHASH_DOC_MAX_BITS ? (unsigned)most : SIMHASH_DOC_MAX_BITS;
}

static simhash_doc_status put_found(struct search *search, const struct json *queries, unsigned distance) {
    put(search->output, "[");
    for (const struct json *item = queries->child; item; item = item->next) {
        simhash_doc_fingerprint read;
        simhash_doc_status status = parse_text_form(item, &read);
        put(search->output, item == queries->child ? "[" : ",[");
        search->some = false;
        if (status == SIMHASH_DOC_OK)
            status = simhash_doc_index_query(search->index, &read, distance, put_entry, search);
        if (status != SIMHASH_DOC_OK) return status;
        put(search->output, "]");
    }
    put(search->output, "]");
    return SIMHASH_DOC_OK;
}

simhash_doc_status answer_query(struct output *output, const struct json *request) {
    struct search search = {.output = output};
    const struct json *queries = json_member(request, "queries");
    simhash_doc_status status = begin_search(&search, json_member(request, "entries"), queries);
    if (status == SIMHASH_DOC_OK) status = put_found(&search, queries, within(request));
    end_search(&search);
    return status;
}

simhash_doc_status answer_find_all(struct output *output, const struct json *request) {
    struct search search = {.output = output};
    simhash_doc_status status = begin_search(&search, json_member(request, "entries"), NULL);
    put(output, "[");
    if (status == SIMHASH_DOC_OK) simhash_doc_index_pairs(search.index, within(request), put_pair, &search);
    put(output, "]");
    end_search(&search);
    return status;
}

/* Order ids by their length and bytes: an id can contain U+0000. */
static int compare_ids(const void *a, const void *b) {
    const struct text *one = &(*(const struct json *const *)a)->text, *other = &(*(const struct json *const *)b)->text;
    if (one->size != other->size) return one->size < other->size ? -1 : 1;
    return memcmp(one->bytes, other->bytes, one->size);
}

static void remove_entries(struct search *search, const struct json *ids) {
    const size_t width = sizeof(const struct json *);
    size_t count = 0, at = 0;
    for (const struct json *id = ids->child; id; id = id->next) count++;
    const struct json **sorted = malloc((count + 1) * width);
    if (!sorted) abort();
    for (const struct json *id = ids->child; id; id = id->next) sorted[at++] = id;
    qsort(sorted, count, width, compare_ids);
    /* From the last one on, because the last takes the place of one that is removed. */
    for (size_t entry = search->count; entry-- > 0;) {
        if (!bsearch(&search->ids[entry], sorted, count, width, compare_ids)) continue;
        simhash_doc_index_remove(search->index, entry);
        search->ids[entry] = search->ids[--search->count];
    }
    free(sorted);
}

simhash_doc_status answer_update(struct output *output, const struct json *request) {
    struct search search = {.output = output};
    struct text id = json_member(request, "scheme")->text;
    simhash_doc_scheme scheme;
    simhash_doc_status status = simhash_doc_scheme_find(id.bytes, id.size, &scheme);
    if (status != SIMHASH_DOC_OK) return status;
    begin_index(&search, scheme);
    const char *separator = "[";
    const struct json *step = json_member(request, "steps")->child;
    for (; step && status == SIMHASH_DOC_OK; step = step->next) {
        const struct json *entries = json_member(step, "insert"), *ids = json_member(step, "remove");
        const struct json *queries = json_member(step, "query");
        if (entries) status = insert(&search, entries);
        if (ids && status == SIMHASH_DOC_OK) remove_entries(&search, ids);
        if (queries && status == SIMHASH_DOC_OK) {
            put(output, separator);
            separator = ",";
            status = put_found(&search, queries, within(request));
        }
    }
    put(output, *separator == '[' ? "[]" : "]");
    end_search(&search);
    return status;
}
