#include "cut.h"

#include "unicode.h"
#include "utf8.h"
#include "xxh64.h"

enum { LETTER = SDOC_WORD | SDOC_ALPHABETIC };

/* The properties of the ASCII characters in folded text, where capitals do not occur. */
static const uint8_t ASCII[256] = {
    ['0'] = SDOC_WORD,
    ['1'] = SDOC_WORD,
    ['2'] = SDOC_WORD,
    ['3'] = SDOC_WORD,
    ['4'] = SDOC_WORD,
    ['5'] = SDOC_WORD,
    ['6'] = SDOC_WORD,
    ['7'] = SDOC_WORD,
    ['8'] = SDOC_WORD,
    ['9'] = SDOC_WORD,
    ['_'] = SDOC_WORD | SDOC_CONNECTOR,
    ['a'] = LETTER,
    ['b'] = LETTER,
    ['c'] = LETTER,
    ['d'] = LETTER,
    ['e'] = LETTER,
    ['f'] = LETTER,
    ['g'] = LETTER,
    ['h'] = LETTER,
    ['i'] = LETTER,
    ['j'] = LETTER,
    ['k'] = LETTER,
    ['l'] = LETTER,
    ['m'] = LETTER,
    ['n'] = LETTER,
    ['o'] = LETTER,
    ['p'] = LETTER,
    ['q'] = LETTER,
    ['r'] = LETTER,
    ['s'] = LETTER,
    ['t'] = LETTER,
    ['u'] = LETTER,
    ['v'] = LETTER,
    ['w'] = LETTER,
    ['x'] = LETTER,
    ['y'] = LETTER,
    ['z'] = LETTER,
};

static bool is_connector(const uint8_t *at) {
    return sdoc_properties(sdoc_decode(at)) & SDOC_CONNECTOR;
}

/* Give a candidate without the connectors at its ends; an alphabetic code point is between them. */
static bool trimmed(struct cutter *cutter, const uint8_t *from, const uint8_t *to) {
    while (is_connector(from)) from += sdoc_utf8_size(sdoc_decode(from));
    while (is_connector(to - sdoc_last_size(to))) to -= sdoc_last_size(to);
    return cutter->sink(cutter->context, from, (size_t)(to - from));
}

static bool end_stretch(struct cutter *cutter, const uint8_t *text, size_t end) {
    bool in_bigram = cutter->state == SDOC_IN_CONTINUA && cutter->paired;
    bool candidate = cutter->state != SDOC_OUTSIDE && !in_bigram;
    cutter->state = SDOC_OUTSIDE;
    if (!candidate || !(cutter->properties & SDOC_ALPHABETIC)) return true;
    if (cutter->properties & SDOC_CONNECTOR) return trimmed(cutter, text + cutter->start, text + end);
    return cutter->sink(cutter->context, text + cutter->start, end - cutter->start);
}

/* Add code points that are not in scriptio continua to the stretch, or begin one with them. */
static bool extend(struct cutter *cutter, const uint8_t *text, size_t end, unsigned properties) {
    if (cutter->state != SDOC_IN_WORD) {
        if (!end_stretch(cutter, text, cutter->at)) return false;
        cutter->state = SDOC_IN_WORD;
        cutter->start = cutter->at;
        cutter->properties = 0;
    }
    cutter->properties |= properties;
    cutter->at = end;
    return true;
}

static bool continua(struct cutter *cutter, const uint8_t *text, size_t end, unsigned properties) {
    if (cutter->state == SDOC_IN_CONTINUA) {
        bool token = (cutter->properties | properties) & SDOC_ALPHABETIC;
        if (token && !cutter->sink(cutter->context, text + cutter->start, end - cutter->start)) return false;
        cutter->paired = true;
    } else {
        if (!end_stretch(cutter, text, cutter->at)) return false;
        cutter->paired = false;
    }
    cutter->state = SDOC_IN_CONTINUA;
    cutter->start = cutter->at;
    cutter->properties = properties;
    cutter->at = end;
    return true;
}

static bool other(struct cutter *cutter, const uint8_t *text) {
    uint32_t c = sdoc_decode(text + cutter->at);
    unsigned properties = sdoc_properties(c);
    size_t end = cutter->at + sdoc_utf8_size(c);
    cutter->after_word = false;
    if (properties & SDOC_CONTINUA && properties & SDOC_WORD) return continua(cutter, text, end, properties);
    if (properties & SDOC_WORD) return extend(cutter, text, end, properties);
    bool more = end_stretch(cutter, text, cutter->at);
    cutter->at = end;
    return more;
}

/* Return how many of eight bytes are ASCII letters in lower case before the first that is not. */
static size_t letters(const uint8_t *bytes) {
    uint64_t eight = sdoc_read64(bytes), high = UINT64_C(0x8080808080808080), low = eight & ~high;
    /* Bit 7 of a byte becomes 1 from `a` on, and from behind `z` on. */
    uint64_t from_a = low + UINT64_C(0x1F1F1F1F1F1F1F1F), after_z = low + UINT64_C(0x0505050505050505);
    uint64_t others = ~(from_a & ~after_z & ~eight) & high;
#ifdef __GNUC__
    return others ? (size_t)__builtin_ctzll(others) / 8 : 8;
#else
    size_t count = 0;
    for (; count < 8 && !(others >> (8 * count) & 0x80); count++) continue;
    return count;
#endif
}

/* Return the end of the ASCII word characters from a position on, and set their properties. */
static size_t word_end(const uint8_t *text, size_t at, size_t limit, unsigned *properties) {
    *properties = 0;
    while (limit - at >= 8) {
        size_t count = letters(text + at);
        at += count;
        if (count > 0) *properties |= LETTER;
        if (count < 8) break;
    }
    for (unsigned found; at < limit && (found = ASCII[text[at]]) != 0; at++) *properties |= found;
    return at;
}

static bool ascii_word(struct cutter *cutter, const uint8_t *text, size_t size) {
    unsigned properties;
    size_t end = word_end(text, cutter->at, size, &properties);
    if (!cutter->after_word && sdoc_may_be_link(end - cutter->at, (struct place){text + end, text + size})) {
        struct place place = {text + cutter->at, text + size};
        enum link link = sdoc_match_link(&place);
        if (link != SDOC_NO_LINK) {
            bool more = end_stretch(cutter, text, cutter->at);
            cutter->link = link;
            cutter->at = (size_t)(place.at - text);
            cutter->after_word = ASCII[place.at[-1]] != 0;
            return more;
        }
    }
    cutter->after_word = true;
    return extend(cutter, text, end, properties);
}

static void continue_link(struct cutter *cutter, const uint8_t *text, size_t size) {
    struct place place = {text + cutter->at, text + size};
    bool ended = sdoc_continue_link(cutter->link, &place);
    size_t at = (size_t)(place.at - text);
    if (at > cutter->at) cutter->after_word = ASCII[place.at[-1]] != 0;
    if (ended) cutter->link = SDOC_NO_LINK;
    cutter->at = at;
}

/* Cut ASCII words that stand alone, as most do: without a link, a connector, or other characters next to them. */
static bool plain_words(struct cutter *cutter, const uint8_t *text, size_t limit) {
    while (cutter->at < limit) {
        size_t from = cutter->at;
        while (from < limit && text[from] < 0x80 && !ASCII[text[from]]) from++;
        unsigned properties;
        size_t end = word_end(text, from, limit, &properties);
        cutter->at = from;
        bool plain = end < limit && text[end] < 0x80 && !(properties & SDOC_CONNECTOR) && end > from;
        if (!plain || sdoc_may_be_link(end - from, (struct place){text + end, text + limit})) return true;
        cutter->at = end;
        if (properties & SDOC_ALPHABETIC && !cutter->sink(cutter->context, text + from, end - from)) return false;
    }
    return true;
}

static bool step(struct cutter *cutter, const uint8_t *text, size_t size, size_t limit) {
    uint8_t c = text[cutter->at];
    if (c >= 0x80) return other(cutter, text);
    if (ASCII[c]) return ascii_word(cutter, text, size);
    cutter->after_word = false;
    bool more = end_stretch(cutter, text, cutter->at);
    cutter->at++;
    return more && plain_words(cutter, text, limit);
}

bool sdoc_cut(struct cutter *cutter, const uint8_t *text, size_t size, bool last) {
    size_t limit = last ? size : size > SDOC_LOOK_AHEAD ? size - SDOC_LOOK_AHEAD : 0;
    while (cutter->at < limit) {
        if (cutter->link == SDOC_TAIL || cutter->link == SDOC_LABELS)
            continue_link(cutter, text, size);
        else if (!step(cutter, text, size, limit))
            return false;
    }
    return !last || end_stretch(cutter, text, cutter->at);
}

size_t sdoc_cutter_done(const struct cutter *cutter) {
    return cutter->state == SDOC_OUTSIDE ? cutter->at : cutter->start;
}

void sdoc_cutter_discarded(struct cutter *cutter, size_t size) {
    cutter->at -= size;
    if (cutter->state != SDOC_OUTSIDE) cutter->start -= size;
}
