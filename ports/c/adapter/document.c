#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "recipe.h"

void put_unhexed(struct output *output, struct text hex) {
    for (size_t i = 0; i + 1 < hex.size; i += 2) {
        char digits[3] = {hex.bytes[i], hex.bytes[i + 1], 0};
        put_bytes(output, &(char){(char)strtoul(digits, NULL, 16)}, 1);
    }
}

/* Read the UTF-16 code unit at a position of hexadecimal digits; 0 at their end. */
static unsigned code_unit(struct text hex, size_t at) {
    char digits[5] = {0};
    if (at + 4 > hex.size) return 0;
    memcpy(digits, hex.bytes + at, 4);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Write UTF-16 code units in UTF-8, and U+FFFD for a surrogate without a partner (SD-INPUT-3). */
static void put_code_units(struct output *output, struct text hex) {
    for (size_t at = 0; at < hex.size; at += 4) {
        unsigned unit = code_unit(hex, at), next = code_unit(hex, at + 4);
        if (unit < 0xD800 || unit > 0xDFFF) {
            put_scalar(output, unit);
        } else if (unit < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF) {
            put_scalar(output, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
            at += 4;
        } else {
            put_scalar(output, 0xFFFD);
        }
    }
}

struct output document_of(const struct json *request) {
    struct output document = {0};
    put(&document, "");
    const struct json *member;
    if ((member = json_member(request, "text")))
        put_bytes(&document, member->text.bytes, member->text.size);
    else if ((member = json_member(request, "bytes")))
        put_unhexed(&document, member->text);
    else if ((member = json_member(request, "utf16")))
        put_code_units(&document, member->text);
    else
        put_recipe(&document, json_member(request, "recipe"));
    return document;
}
