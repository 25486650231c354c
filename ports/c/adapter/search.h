/* The operations of an index (PROTOCOL.md). */
#ifndef SEARCH_H
#define SEARCH_H

#include "json.h"
#include "simhash_doc.h"

typedef simhash_doc_status operation(struct output *output, const struct json *request);

operation answer_query, answer_find_all, answer_update;

/* Read a text form with or without its scheme. */
simhash_doc_status parse_text_form(const struct json *text, simhash_doc_fingerprint *read);

#endif
