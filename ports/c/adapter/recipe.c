#include "recipe.h"

#include <string.h>

static size_t character_size(const char *text) {
    unsigned char lead = (unsigned char)*text;
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Write the character of a text with a number. */
static void put_character(struct output *output, const struct json *text, uint64_t number) {
    const char *at = text->text.bytes;
    while (number-- > 0) at += character_size(at);
    put_bytes(output, at, character_size(at));
}

/* Write n + 1 in bijective base, the digits of which are letters. */
static void put_word(struct output *output, uint64_t n, const struct json *letters, uint64_t base) {
    if (n >= base) put_word(output, n / base - 1, letters, base);
    put_character(output, letters, n % base);
}

static void words(struct output *output, const struct json *recipe) {
    const struct json *letters = json_member(recipe, "letters");
    uint64_t state = json_number(json_member(recipe, "seed"));
    uint64_t distinct = json_number(json_member(recipe, "distinct"));
    uint64_t base = 0;
    for (size_t at = 0; at < letters->text.size; at += character_size(letters->text.bytes + at)) base++;
    for (uint64_t left = base ? json_number(json_member(recipe, "words")) : 0; left > 0; left--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        put_word(output, (state >> 33) % distinct, letters, base);
        put(output, " ");
    }
}

static void put_template(struct output *output, const struct text *pattern, unsigned c) {
    for (size_t at = 0; at < pattern->size; at++) {
        if (at + 1 < pattern->size && memcmp(pattern->bytes + at, "{}", 2) == 0) {
            put_scalar(output, c);
            at++;
        } else {
            put_bytes(output, pattern->bytes + at, 1);
        }
    }
}

static void scalars(struct output *output, const struct json *ends, const struct json *pattern) {
    uint64_t last = json_number(ends->child->next);
    for (uint64_t c = json_number(ends->child); c <= last; c++)
        if (c < 0xD800 || c > 0xDFFF) put_template(output, &pattern->text, (unsigned)c);
}

void put_recipe(struct output *output, const struct json *recipe) {
    const struct json *member;
    if (recipe->type == JSON_STRING) {
        put_bytes(output, recipe->text.bytes, recipe->text.size);
    } else if ((member = json_member(recipe, "repeat"))) {
        for (uint64_t left = json_number(json_member(recipe, "count")); left > 0; left--)
            put_bytes(output, member->text.bytes, member->text.size);
    } else if (json_member(recipe, "words")) {
        words(output, recipe);
    } else if ((member = json_member(recipe, "scalars"))) {
        scalars(output, member, json_member(recipe, "template"));
    } else if ((member = json_member(recipe, "utf8"))) {
        put_recipe(output, member);
    } else {
        member = json_member(recipe, "concat");
        for (const struct json *part = member->child; part; part = part->next) put_recipe(output, part);
    }
}
