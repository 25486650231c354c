#include "slow.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slow_data.h"

static void append(struct points *points, uint32_t c) {
    if ((points->size & (points->size + 1)) == 0)
        points->at = checked(realloc(points->at, (2 * points->size + 2) * sizeof *points->at));
    points->at[points->size++] = c;
}

/* Read UTF-8 by table 3-7 of the Unicode Standard. */
static struct points read_text(const uint8_t *bytes, size_t size) {
    static const struct {
        uint8_t first[2], second[2];
        size_t length;
    } ROWS[] = {
        {{0x00, 0x7F}, {0, 0}, 1},       {{0xC2, 0xDF}, {0x80, 0xBF}, 2}, {{0xE0, 0xE0}, {0xA0, 0xBF}, 3},
        {{0xE1, 0xEC}, {0x80, 0xBF}, 3}, {{0xEE, 0xEF}, {0x80, 0xBF}, 3}, {{0xED, 0xED}, {0x80, 0x9F}, 3},
        {{0xF0, 0xF0}, {0x90, 0xBF}, 4}, {{0xF1, 0xF3}, {0x80, 0xBF}, 4}, {{0xF4, 0xF4}, {0x80, 0x8F}, 4},
    };
    struct points points = {0};
    for (size_t at = 0; at < size;) {
        size_t length = 1, expected = 0;
        for (size_t row = 0; row < sizeof ROWS / sizeof *ROWS; row++) {
            if (bytes[at] < ROWS[row].first[0] || bytes[at] > ROWS[row].first[1]) continue;
            expected = ROWS[row].length;
            while (length < expected && at + length < size) {
                uint8_t low = length == 1 ? ROWS[row].second[0] : 0x80, high = length == 1 ? ROWS[row].second[1] : 0xBF;
                if (bytes[at + length] < low || bytes[at + length] > high) break;
                length++;
            }
        }
        uint32_t c = bytes[at] & (0xFFU >> (expected == 1 ? 0 : expected + 1));
        for (size_t i = 1; i < length; i++) c = c << 6 | (bytes[at + i] & 63U);
        append(&points, length == expected ? c : 0xFFFD);
        at += length;
    }
    return points;
}

static struct points nfd(struct points text) {
    struct points points = {0};
    for (size_t i = 0; i < text.size; i++) {
        uint32_t c = text.at[i];
        if (decompositions[c]) {
            for (size_t j = 0; j < decompositions[c]->size; j++) append(&points, decompositions[c]->points[j]);
        } else if (c >= 0xAC00 && c <= 0xAC00 + 11171) {
            uint32_t s = c - 0xAC00;
            append(&points, 0x1100 + s / 588);
            append(&points, 0x1161 + s % 588 / 28);
            if (s % 28) append(&points, 0x11A7 + s % 28);
        } else {
            append(&points, c);
        }
    }
    /* Bubble sort: exchange neighbours in the wrong order until there are none. */
    for (bool sorted = false; !sorted;) {
        sorted = true;
        for (size_t i = 1; i < points.size; i++) {
            uint32_t a = points.at[i - 1], b = points.at[i];
            if (classes.values[b] && classes.values[a] > classes.values[b]) {
                points.at[i - 1] = b;
                points.at[i] = a;
                sorted = false;
            }
        }
    }
    return points;
}

static uint32_t composite(uint32_t b, uint32_t c) {
    if (b >= 0x1100 && b <= 0x1112 && c >= 0x1161 && c <= 0x1175) return 0xAC00 + ((b - 0x1100) * 21 + c - 0x1161) * 28;
    if (b >= 0xAC00 && b <= 0xAC00 + 11171 && (b - 0xAC00) % 28 == 0 && c >= 0x11A8 && c <= 0x11C2)
        return b + c - 0x11A7;
    for (size_t i = 0; i < pair_count; i++)
        if (pairs[i].points[0] == b && pairs[i].points[1] == c) return composites[i];
    return 0;
}

static struct points nfc(struct points text) {
    struct points decomposed = nfd(text), out = {0};
    size_t base = SIZE_MAX;
    for (size_t i = 0; i < decomposed.size; i++) {
        uint32_t c = decomposed.at[i], class = classes.values[c];
        bool blocked = base == SIZE_MAX || (base + 1 < out.size && classes.values[out.at[out.size - 1]] >= class);
        uint32_t composed = blocked ? 0 : composite(out.at[base], c);
        if (composed) {
            out.at[base] = composed;
        } else {
            append(&out, c);
            if (class == 0) base = out.size - 1;
        }
    }
    free(decomposed.at);
    return out;
}

/* Replace each code point by its NFD, and runs of more than 30 non-starters by U+FFFD. */
static struct points bounded(struct points text) {
    struct points decomposed = {0}, out = {0};
    for (size_t i = 0; i < text.size; i++) {
        struct points one = nfd((struct points){&text.at[i], 1});
        for (size_t j = 0; j < one.size; j++) append(&decomposed, one.at[j]);
        free(one.at);
    }
    for (size_t i = 0, end; i < decomposed.size; i = end) {
        for (end = i; end < decomposed.size && nonstarter.there[decomposed.at[end]];) end++;
        if (end - i > 30) {
            append(&out, 0xFFFD);
            continue;
        }
        if (end == i) end++;
        for (size_t j = i; j < end; j++) append(&out, decomposed.at[j]);
    }
    free(decomposed.at);
    return out;
}

struct points slow_fold(const uint8_t *bytes, size_t size) {
    prepare();
    struct points text = read_text(bytes, size), mapped = {0};
    for (size_t i = 0; i < text.size; i++) {
        const struct sequence *folding = foldings[text.at[i]];
        for (size_t j = 0; folding && j < folding->size; j++) append(&mapped, folding->points[j]);
        if (!folding) append(&mapped, assigned.there[text.at[i]] ? text.at[i] : 0xFFFD);
    }
    struct points limited = bounded(mapped), folded = nfc(limited);
    free(text.at);
    free(mapped.at);
    free(limited.at);
    return folded;
}

static bool is_ascii_word(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Replace links by spaces, with one character in place of each that is not ASCII. */
static struct points remove_links(struct points folded) {
    char *ascii = checked(malloc(folded.size + 1));
    for (size_t i = 0; i < folded.size; i++) ascii[i] = (char)(folded.at[i] && folded.at[i] < 0x80 ? folded.at[i] : 1);
    ascii[folded.size] = '\0';
    struct points out = {0};
    for (size_t i = 0; i < folded.size;) {
        bool start = is_ascii_word(folded.at[i]) && (i == 0 || !is_ascii_word(folded.at[i - 1]));
        regmatch_t matches[2];
        int form = start ? 0 : FORMS;
        while (form < FORMS && regexec(&forms[form], ascii + i, 2, matches, 0) != 0) form++;
        append(&out, form < FORMS ? ' ' : folded.at[i]);
        i += form < FORMS ? (size_t)matches[form >= 5].rm_eo : 1;
    }
    free(ascii);
    return out;
}

struct token {
    uint8_t *bytes;
    size_t size, count;
};

struct tokens {
    struct token all[4096];
    size_t size;
};

static void count_token(struct tokens *tokens, const uint32_t *points, size_t size) {
    bool letter = false;
    while (size > 0 && connector.there[*points]) points++, size--;
    while (size > 0 && connector.there[points[size - 1]]) size--;
    struct token token = {checked(malloc(4 * size + 1)), 0, 1};
    for (size_t i = 0; i < size; i++) {
        uint32_t c = points[i];
        uint8_t *to = token.bytes + token.size;
        letter |= alphabetic.there[c];
        if (c < 0x80) {
            to[0] = (uint8_t)c;
            token.size += 1;
        } else if (c < 0x800) {
            to[0] = (uint8_t)(0xC0 | c >> 6), to[1] = (uint8_t)(0x80 | (c & 63));
            token.size += 2;
        } else if (c < 0x10000) {
            to[0] = (uint8_t)(0xE0 | c >> 12), to[1] = (uint8_t)(0x80 | (c >> 6 & 63)),
            to[2] = (uint8_t)(0x80 | (c & 63));
            token.size += 3;
        } else {
            to[0] = (uint8_t)(0xF0 | c >> 18), to[1] = (uint8_t)(0x80 | (c >> 12 & 63));
            to[2] = (uint8_t)(0x80 | (c >> 6 & 63)), to[3] = (uint8_t)(0x80 | (c & 63));
            token.size += 4;
        }
    }
    for (size_t i = 0; i < tokens->size && letter; i++) {
        struct token *known = &tokens->all[i];
        if (known->size == token.size && memcmp(known->bytes, token.bytes, token.size) == 0) {
            if (known->count < 8) known->count++;
            letter = false;
        }
    }
    if (letter && tokens->size == 4096) abort();
    if (letter)
        tokens->all[tokens->size++] = token;
    else
        free(token.bytes);
}

static void cut(struct tokens *tokens, struct points text) {
    for (size_t i = 0, end; i<text.size; i = end> i ? end : i + 1) {
        bool in_continua = continua.there[text.at[i]];
        for (end = i; end < text.size && word.there[text.at[end]] && continua.there[text.at[end]] == in_continua;)
            end++;
        if (!in_continua || end - i < 2) {
            count_token(tokens, text.at + i, end - i);
            continue;
        }
        for (size_t j = i; j + 1 < end; j++) count_token(tokens, text.at + j, 2);
    }
}

static uint64_t rotl(uint64_t x, int r) {
    return x << r | x >> (64 - r);
}

static uint64_t little(const uint8_t *bytes, int size) {
    uint64_t value = 0;
    while (size-- > 0) value = value << 8 | bytes[size];
    return value;
}

static uint64_t xxh64(const uint8_t *p, size_t n, uint64_t s) {
    const uint64_t P1 = 0x9E3779B185EBCA87, P2 = 0xC2B2AE3D27D4EB4F, P3 = 0x165667B19E3779F9, P4 = 0x85EBCA77C2B2AE63,
                   P5 = 0x27D4EB2F165667C5;
    uint64_t acc = s + P5, v[4] = {s + P1 + P2, s + P2, s, s - P1};
    size_t left = n;
    for (; left >= 32; left -= 32)
        for (int i = 0; i < 4; i++, p += 8) v[i] = rotl(v[i] + little(p, 8) * P2, 31) * P1;
    if (n >= 32) {
        acc = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
        for (int i = 0; i < 4; i++) acc = (acc ^ rotl(v[i] * P2, 31) * P1) * P1 + P4;
    }
    acc += n;
    for (; left >= 8; left -= 8, p += 8) acc = rotl(acc ^ rotl(little(p, 8) * P2, 31) * P1, 27) * P1 + P4;
    for (; left >= 4; left -= 4, p += 4) acc = rotl(acc ^ little(p, 4) * P1, 23) * P2 + P3;
    for (; left > 0; left--, p++) acc = rotl(acc ^ *p * P5, 11) * P1;
    acc = (acc ^ acc >> 33) * P2;
    acc = (acc ^ acc >> 29) * P3;
    return acc ^ acc >> 32;
}

void slow_fingerprint(const uint8_t *bytes, size_t size, unsigned lanes, char text[128]) {
    struct points folded = slow_fold(bytes, size), link_free = remove_links(folded);
    struct tokens *tokens = checked(calloc(1, sizeof *tokens));
    cut(tokens, link_free);
    bool bits[520] = {false};
    for (unsigned bit = 0; bit < 64 * lanes; bit++) {
        long sum = 0;
        for (size_t i = 0; i < tokens->size; i++) {
            uint64_t hash = xxh64(tokens->all[i].bytes, tokens->all[i].size, bit / 64);
            sum += hash >> (63 - bit % 64) & 1 ? (long)tokens->all[i].count : -(long)tokens->all[i].count;
        }
        bits[bit] = sum > 0;
    }
    size_t at = (size_t)sprintf(text, "sd%u:", 64 * lanes);
    for (unsigned bit = 0; bit < 64 * lanes; bit += 5)
        text[at++] = "abcdefghijklmnopqrstuvwxyz234567"[bits[bit] << 4 | bits[bit + 1] << 3 | bits[bit + 2] << 2 |
                                                        bits[bit + 3] << 1 | bits[bit + 4]];
    text[at] = '\0';
    if (tokens->size == 0) strcpy(text, "no-token");
    for (size_t i = 0; i < tokens->size; i++) free(tokens->all[i].bytes);
    free(tokens);
    free(folded.at);
    free(link_free.at);
}
