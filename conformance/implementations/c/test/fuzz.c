/* The same comparison under libFuzzer. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    check_document(bytes, size);
    return 0;
}
