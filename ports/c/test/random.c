/* Check properties of random documents: random [SECONDS [SEED]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

/* Fragments of links, marks at every border of a run, and characters with unusual foldings. */
static const char *const FRAGMENTS[] = {
    "http://",
    "www.",
    "mailto:",
    "a@b.cd",
    "@",
    ".",
    "10.1234/x",
    "10.",
    "doi:",
    "urn:",
    "-",
    "_",
    "/",
    ":",
    " ",
    "\n",
    "123e4567-e89b-12d3-a456-426614174000",
    "d41d8cd98f00b204e9800998ecf8427e",
    "x",
    "abc",
    "Word",
    "word word",
    "2024",
    "\u6771\u4eac",
    "\u0e44\u0e17\u0e22",
    "\u30ab",
    "\u30fc",
    "\u3007",
    "\u0301",
    "\u0316",
    "\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
    "\u0345",
    "\u0344",
    "\u00ad",
    "\ufdfa",
    "\ufb01",
    "\u00df",
    "\u00c5",
    "\u0958",
    "\u2adc",
    "\u1ea5",
    "\u0323",
    "\u1100",
    "\u1161",
    "\u11a8",
    "\uac00",
    "\uac01",
    "\u09c7",
    "\u09be",
    "\u0ddc",
    "\u0dcf",
    "\u0dca",
    "\u203f",
    "\ufe33",
    "\uff3f",
    "\U0001d15e",
    "\xff",
    "\xed\xa0\x80",
    "\xe2\x82",
    "\xf0\x90",
    "\xc0",
    "\x80",
    "\ufeff",
};

static unsigned long long state;

static unsigned below(unsigned most) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % most;
}

static size_t document(uint8_t *bytes) {
    size_t size = 0;
    for (unsigned parts = 1U << below(8); parts > 0; parts--) {
        const char *fragment = FRAGMENTS[below(sizeof FRAGMENTS / sizeof *FRAGMENTS)];
        if (below(4) == 0) {
            for (unsigned i = below(4); i > 0; i--) bytes[size++] = (uint8_t)below(256);
        } else {
            memcpy(bytes + size, fragment, strlen(fragment));
            size += strlen(fragment);
        }
    }
    return size;
}

int main(int count, char **arguments) {
    static uint8_t bytes[128 * 64];
    int seconds = count > 1 ? atoi(arguments[1]) : 3;
    unsigned long long seed = count > 2 ? strtoull(arguments[2], NULL, 10) : (unsigned long long)time(NULL);
    printf("seed %llu\n", seed);
    fflush(stdout);
    state = seed;
    unsigned long documents = 0;
    for (time_t end = time(NULL) + seconds; time(NULL) < end; documents++) check_document(bytes, document(bytes));
    printf("%lu documents\n", documents);
}
