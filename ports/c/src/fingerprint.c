/* Schemes, text forms, distance, narrowing (sections 9 to 13). */
#include <string.h>

#include "simhash_doc.h"

static const struct {
    char id[6];
    unsigned bits, close, loose;
} SCHEMES[] = {
    [SIMHASH_DOC_SD64] = {"sd64", 64, 3, 6},
    [SIMHASH_DOC_SD128] = {"sd128", 128, 10, 16},
    [SIMHASH_DOC_SD256] = {"sd256", 256, 26, 36},
    [SIMHASH_DOC_SD512] = {"sd512", 512, 56, 76},
};

enum { SCHEME_COUNT = sizeof SCHEMES / sizeof *SCHEMES, DIGIT_BITS = 5 };

static const char DIGITS[] = "abcdefghijklmnopqrstuvwxyz234567";
static const char CUSTOM[] = "+custom";
enum { CUSTOM_SIZE = sizeof CUSTOM - 1 };

const char *simhash_doc_status_name(simhash_doc_status status) {
    static const char *const NAMES[] = {
        [SIMHASH_DOC_OK] = "ok",
        [SIMHASH_DOC_NO_TOKEN] = "no-token",
        [SIMHASH_DOC_UNKNOWN_SCHEME] = "unknown-scheme",
        [SIMHASH_DOC_PADDING] = "padding",
        [SIMHASH_DOC_BAD_CHARACTER] = "bad-character",
        [SIMHASH_DOC_BAD_LENGTH] = "bad-length",
        [SIMHASH_DOC_SPARE_BITS] = "spare-bits",
        [SIMHASH_DOC_SCHEME_MISMATCH] = "scheme-mismatch",
        [SIMHASH_DOC_OVER_LIMIT] = "over-limit",
        [SIMHASH_DOC_NO_MEMORY] = "no-memory",
        [SIMHASH_DOC_ENDED] = "ended",
    };
    return NAMES[status];
}

static uint8_t lower(char c) {
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Compare with a literal in lower case. */
static bool equals(const char *text, size_t size, const char *literal, bool either_case) {
    if (size != strlen(literal)) return false;
    for (size_t i = 0; i < size; i++)
        if ((either_case ? lower(text[i]) : (uint8_t)text[i]) != (uint8_t)literal[i]) return false;
    return true;
}

static simhash_doc_status find(const char *id, size_t size, bool either_case, simhash_doc_scheme *scheme) {
    for (int i = 0; i < SCHEME_COUNT; i++) {
        if (equals(id, size, SCHEMES[i].id, either_case)) {
            *scheme = (simhash_doc_scheme)i;
            return SIMHASH_DOC_OK;
        }
    }
    return SIMHASH_DOC_UNKNOWN_SCHEME;
}

simhash_doc_status simhash_doc_scheme_find(const char *id, size_t size, simhash_doc_scheme *scheme) {
    return find(id, size, false, scheme);
}

const char *simhash_doc_scheme_id(simhash_doc_scheme scheme) {
    return SCHEMES[scheme].id;
}

unsigned simhash_doc_scheme_bits(simhash_doc_scheme scheme) {
    return SCHEMES[scheme].bits;
}

unsigned simhash_doc_scheme_lanes(simhash_doc_scheme scheme) {
    return SCHEMES[scheme].bits / 64;
}

unsigned simhash_doc_scheme_characters(simhash_doc_scheme scheme) {
    return (SCHEMES[scheme].bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

unsigned simhash_doc_scheme_close(simhash_doc_scheme scheme) {
    return SCHEMES[scheme].close;
}

unsigned simhash_doc_scheme_loose(simhash_doc_scheme scheme) {
    return SCHEMES[scheme].loose;
}

/* Return the value of a digit, or -1. */
static int value_of(char c) {
    uint8_t digit = lower(c);
    if (digit >= 'a' && digit <= 'z') return digit - 'a';
    return digit >= '2' && digit <= '7' ? digit - '2' + 26 : -1;
}

static simhash_doc_status check_digits(const char *digits, size_t size) {
    if (size > 0 && memchr(digits, '=', size)) return SIMHASH_DOC_PADDING;
    for (size_t i = 0; i < size; i++)
        if (value_of(digits[i]) < 0) return SIMHASH_DOC_BAD_CHARACTER;
    return SIMHASH_DOC_OK;
}

/* Decode digits, the number of which is that of the scheme. */
static simhash_doc_status decode(const char *digits, simhash_doc_fingerprint *fingerprint) {
    unsigned bits = SCHEMES[fingerprint->scheme].bits;
    memset(fingerprint->lanes, 0, sizeof fingerprint->lanes);
    for (unsigned bit = 0; bit < simhash_doc_scheme_characters(fingerprint->scheme) * DIGIT_BITS; bit++) {
        uint64_t one = (uint64_t)value_of(digits[bit / DIGIT_BITS]) >> (DIGIT_BITS - 1 - bit % DIGIT_BITS) & 1;
        if (bit < bits)
            fingerprint->lanes[bit / 64] |= one << (63 - bit % 64);
        else if (one)
            return SIMHASH_DOC_SPARE_BITS;
    }
    return SIMHASH_DOC_OK;
}

/* Set the scheme of digits without one by their number. */
static simhash_doc_status scheme_of(size_t size, simhash_doc_scheme *scheme) {
    for (int i = 0; i < SCHEME_COUNT; i++) {
        if (simhash_doc_scheme_characters((simhash_doc_scheme)i) == size) {
            *scheme = (simhash_doc_scheme)i;
            return SIMHASH_DOC_OK;
        }
    }
    return SIMHASH_DOC_BAD_LENGTH;
}

/* Read the part of a text form before the colon. */
static simhash_doc_status read_scheme(const char *name, size_t size, simhash_doc_fingerprint *fingerprint) {
    fingerprint->canonical = size < CUSTOM_SIZE || !equals(name + size - CUSTOM_SIZE, CUSTOM_SIZE, CUSTOM, true);
    return find(name, fingerprint->canonical ? size : size - CUSTOM_SIZE, true, &fingerprint->scheme);
}

simhash_doc_status simhash_doc_parse(const char *text, size_t size, const simhash_doc_scheme *expected,
                                     simhash_doc_fingerprint *fingerprint) {
    simhash_doc_fingerprint read = {.scheme = expected ? *expected : SIMHASH_DOC_SD64, .canonical = true};
    const char *colon = size > 0 ? memchr(text, ':', size) : NULL;
    simhash_doc_status status = colon ? read_scheme(text, (size_t)(colon - text), &read) : SIMHASH_DOC_OK;
    if (status == SIMHASH_DOC_OK && expected && read.scheme != *expected) status = SIMHASH_DOC_SCHEME_MISMATCH;
    const char *digits = colon ? colon + 1 : text;
    size -= (size_t)(digits - text);
    if (status == SIMHASH_DOC_OK) status = check_digits(digits, size);
    if (status == SIMHASH_DOC_OK && !colon && !expected) status = scheme_of(size, &read.scheme);
    if (status == SIMHASH_DOC_OK && size != simhash_doc_scheme_characters(read.scheme)) status = SIMHASH_DOC_BAD_LENGTH;
    if (status == SIMHASH_DOC_OK) status = decode(digits, &read);
    if (status == SIMHASH_DOC_OK) *fingerprint = read;
    return status;
}

size_t simhash_doc_format(const simhash_doc_fingerprint *fingerprint, char text[SIMHASH_DOC_TEXT_SIZE]) {
    size_t size = strlen(SCHEMES[fingerprint->scheme].id);
    memcpy(text, SCHEMES[fingerprint->scheme].id, size);
    if (!fingerprint->canonical) {
        memcpy(text + size, CUSTOM, CUSTOM_SIZE);
        size += CUSTOM_SIZE;
    }
    text[size++] = ':';
    unsigned bits = SCHEMES[fingerprint->scheme].bits;
    for (unsigned first = 0; first < bits; first += DIGIT_BITS) {
        unsigned digit = 0;
        for (unsigned bit = first; bit < first + DIGIT_BITS; bit++)
            digit = digit << 1 | (bit < bits && (fingerprint->lanes[bit / 64] >> (63 - bit % 64) & 1));
        text[size++] = DIGITS[digit];
    }
    text[size] = '\0';
    return size;
}

simhash_doc_status simhash_doc_from_bytes(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme, bool canonical,
                                          simhash_doc_fingerprint *fingerprint) {
    if (size != SCHEMES[scheme].bits / 8) return SIMHASH_DOC_BAD_LENGTH;
    *fingerprint = (simhash_doc_fingerprint){.scheme = scheme, .canonical = canonical};
    for (size_t i = 0; i < size; i++) fingerprint->lanes[i / 8] |= (uint64_t)bytes[i] << (56 - i % 8 * 8);
    return SIMHASH_DOC_OK;
}

size_t simhash_doc_to_bytes(const simhash_doc_fingerprint *fingerprint, uint8_t bytes[SIMHASH_DOC_MAX_BYTES]) {
    size_t size = SCHEMES[fingerprint->scheme].bits / 8;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(fingerprint->lanes[i / 8] >> (56 - i % 8 * 8));
    return size;
}

simhash_doc_status simhash_doc_narrow(const simhash_doc_fingerprint *fingerprint, simhash_doc_scheme scheme,
                                      simhash_doc_fingerprint *narrowed) {
    unsigned lanes = simhash_doc_scheme_lanes(scheme);
    if (lanes > simhash_doc_scheme_lanes(fingerprint->scheme)) return SIMHASH_DOC_SCHEME_MISMATCH;
    simhash_doc_fingerprint result = {.scheme = scheme, .canonical = fingerprint->canonical};
    memcpy(result.lanes, fingerprint->lanes, lanes * sizeof *result.lanes);
    *narrowed = result;
    return SIMHASH_DOC_OK;
}

/* Return the number of bits that are 1: added in groups of 2, of 4 and of 8, and of all. */
static unsigned bit_count(uint64_t bits) {
    bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)((bits * UINT64_C(0x0101010101010101)) >> 56);
}

simhash_doc_status simhash_doc_distance(const simhash_doc_fingerprint *a, const simhash_doc_fingerprint *b,
                                        unsigned *distance) {
    if (a->scheme != b->scheme) return SIMHASH_DOC_SCHEME_MISMATCH;
    unsigned bits = 0, lanes = simhash_doc_scheme_lanes(a->scheme);
    for (unsigned lane = 0; lane < lanes; lane++) bits += bit_count(a->lanes[lane] ^ b->lanes[lane]);
    *distance = bits;
    return SIMHASH_DOC_OK;
}

double simhash_doc_similarity(simhash_doc_scheme scheme, unsigned distance) {
    return 1 - (double)distance / SCHEMES[scheme].bits;
}
