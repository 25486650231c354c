/* The checks of any input, under libFuzzer. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    check_document(bytes, size);
    check_text_form(bytes, size);
    return 0;
}
