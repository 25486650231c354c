/* Let each allocation of the library fail in turn, and all of them where none is needed. The linker passes its calls to
 * the functions `__wrap_`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simhash_doc.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

/* The blocks that are in use, and the allocations before the one that fails. */
static long blocks, before_failure;

static void *counted(void *block) {
    blocks += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size) {
    return before_failure-- == 0 ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return before_failure-- == 0 ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
    if (before_failure-- == 0) return NULL;
    void *grown = __real_realloc(block, size);
    return block ? grown : counted(grown);
}

void __wrap_free(void *block) {
    blocks -= block != NULL;
    __real_free(block);
}

/* Check a trace without one of its allocations; return false if it has fewer. */
static bool trace_fails(const char *text, size_t size, long allocation) {
    simhash_doc_trace trace = {.token_count = 7};
    before_failure = allocation;
    simhash_doc_status status = simhash_doc_compute_trace(text, size, SIMHASH_DOC_SD128, &trace);
    bool failed = before_failure < 0, right = status == (failed ? SIMHASH_DOC_NO_MEMORY : SIMHASH_DOC_OK);
    right = right && (trace.token_count == 7) == failed;
    if (!failed) simhash_doc_trace_free(&trace);
    if (!right || blocks != 0) {
        printf("allocation %ld fails: %s, %ld blocks left\n", allocation, simhash_doc_status_name(status), blocks);
        exit(1);
    }
    return failed;
}

/* Check that texts have their fingerprints computed without allocation: distinct words of two letters, distinct bigrams
 * of Han characters, one long word, the characters that folding makes longest, and a part of each. */
static void nothing_is_allocated(void) {
    enum { SIZE = 300000 };
    static char texts[5][SIZE], memory[SIMHASH_DOC_MEMORY(SIZE)];
    static const char *const LONGEST[] = {"\ufdfa", "\u3316", "\u2100"};
    unsigned state = 1;
    for (size_t at = 0; at < SIZE; at += 3) {
        state = state * 1103515245 + 12345;
        unsigned han = 0x4E00 + (state >> 16) % 20000;
        const char word[] = {(char)('a' + (state >> 16) % 26), (char)('a' + (state >> 21) % 26), ' '};
        const char character[] = {(char)(0xE0 | han >> 12), (char)(0x80 | (han >> 6 & 63)), (char)(0x80 | (han & 63))};
        memcpy(texts[0] + at, word, 3);
        memcpy(texts[1] + at, character, 3);
        memcpy(texts[2] + at, "abc", 3);
        memcpy(texts[3] + at, LONGEST[0], 3);
        memcpy(texts[4] + at, at / 3 % 7 == 3 ? word : at % 2 ? character : LONGEST[(state >> 16) % 3], 3);
    }
    for (int i = 0; i < 5; i++) {
        for (size_t size = 3; size <= SIZE; size *= 10) {
            simhash_doc_fingerprint expected, given;
            before_failure = -1;
            if (simhash_doc_compute(texts[i], size, SIMHASH_DOC_SD512, &expected) != SIMHASH_DOC_OK) abort();
            before_failure = 0;
            simhash_doc_status status = simhash_doc_compute_in(memory, SIMHASH_DOC_MEMORY(size), texts[i], size,
                                                               SIMHASH_DOC_SD512, &given);
            if (status != SIMHASH_DOC_OK || before_failure != 0 ||
                memcmp(expected.lanes, given.lanes, sizeof expected.lanes) != 0) {
                printf("text %d, %zu bytes: %s, %ld\n", i, size, simhash_doc_status_name(status), before_failure);
                exit(1);
            }
        }
    }
}

int main(void) {
    /* Enough distinct tokens for every array and the hash table to grow. */
    static char text[8000];
    size_t size = 0;
    long allocations = 0;
    for (int word = 0; word < 600; word++) size += (size_t)sprintf(text + size, "word%d ", word);
    nothing_is_allocated();
    while (trace_fails(text, size, allocations)) allocations++;
    printf("%ld allocations\n", allocations);
    return allocations < 600;
}
