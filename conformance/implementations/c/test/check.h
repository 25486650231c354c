/* The comparison of the library with the slow version. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Compare fold and the fingerprints of a document, complete and in pieces; end the program at a difference. */
void check_document(const uint8_t *bytes, size_t size);

/* Write what can be read as a text form, and read it again; end the program at a difference. */
void check_text_form(const uint8_t *bytes, size_t size);

#endif
