/* Let each allocation of the library fail in turn. The linker passes its calls to the functions `__wrap_`. */
#include <stdio.h>
#include <stdlib.h>

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

int main(void) {
    /* Enough distinct tokens for every array and the hash table to grow. */
    static char text[8000];
    size_t size = 0;
    long allocations = 0;
    for (int word = 0; word < 600; word++) size += (size_t)sprintf(text + size, "word%d ", word);
    while (trace_fails(text, size, allocations)) allocations++;
    printf("%ld allocations\n", allocations);
    return allocations < 600;
}
