/* Properties that the results for every document have. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "simhash_doc.h"

/* Fold a document twice, and compare its trace, and its fingerprints complete, folded and in pieces; end the program at a
 * difference. */
void check_document(const uint8_t *bytes, size_t size);

/* Compare the fingerprint that is computed in a given memory; end the program at a difference. */
void check_memory(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme);

/* Compare the trace of a document with the single steps; end the program at a difference. */
void check_trace(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme);

/* Write what can be read as a text form, and read it again; end the program at a difference. */
void check_text_form(const uint8_t *bytes, size_t size);

#endif
