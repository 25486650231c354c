/* The comparison of the library with the slow version and with itself. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "simhash_doc.h"

/* Compare fold, the trace and the fingerprints of a document, complete and in pieces; end the program at a difference.
 */
void check_document(const uint8_t *bytes, size_t size);

/* Compare the trace of a document with the single steps; end the program at a difference. */
void check_trace(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme);

/* Write what can be read as a text form, and read it again; end the program at a difference. */
void check_text_form(const uint8_t *bytes, size_t size);

#endif
