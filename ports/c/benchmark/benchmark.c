/* Print the speed of simhash_doc_compute: benchmark [SIZE] FILE...
 *
 * Each file is cut into documents of SIZE bytes (default: one document). Several passes go over all documents; the best
 * time of each document counts, so that other work of the machine does not. The environment variable SECONDS is the time
 * for each file and scheme (default: 2). */
#define _POSIX_C_SOURCE 199309L
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "simhash_doc.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *checked(void *memory) {
    if (memory) return memory;
    fputs("benchmark: no memory\n", stderr);
    exit(1);
}

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(2);
    }
    char *bytes = NULL;
    size_t capacity = 0;
    *size = 0;
    do {
        bytes = checked(realloc(bytes, capacity = 2 * capacity + 65536));
        *size += fread(bytes + *size, 1, capacity - *size, file);
    } while (*size == capacity);
    fclose(file);
    return bytes;
}

/* Return the seconds for each file and scheme. */
static double seconds(void) {
    const char *text = getenv("SECONDS");
    return text ? strtod(text, NULL) : 2;
}

/* Return the sum of the best times of all documents. */
static double best_time(const char *bytes, size_t size, size_t document, simhash_doc_scheme scheme) {
    size_t count = (size + document - 1) / document;
    double *best = checked(malloc((count + 1) * sizeof *best)), total = 0;
    for (size_t i = 0; i < count; i++) best[i] = DBL_MAX;
    for (double begun = now(); now() - begun < seconds();) {
        for (size_t i = 0; i < count; i++) {
            size_t from = i * document, rest = size - from;
            simhash_doc_fingerprint fingerprint;
            double start = now();
            simhash_doc_compute(bytes + from, rest < document ? rest : document, scheme, &fingerprint);
            double time = now() - start;
            if (time < best[i]) best[i] = time;
        }
    }
    for (size_t i = 0; i < count; i++) total += best[i];
    free(best);
    return total;
}

int main(int count, char **arguments) {
    char *end = "";
    size_t document = count > 1 ? strtoull(arguments[1], &end, 10) : 0;
    bool sized = document > 0 && !*end;
    for (int i = sized ? 2 : 1; i < count; i++) {
        size_t size;
        char *bytes = read_file(arguments[i], &size);
        printf("%s:", arguments[i]);
        for (int scheme = SIMHASH_DOC_SD64; scheme <= SIMHASH_DOC_SD512; scheme++) {
            double time = best_time(bytes, size, sized ? document : size + 1, (simhash_doc_scheme)scheme);
            printf("  %s %.1f MB/s", simhash_doc_scheme_id((simhash_doc_scheme)scheme), (double)size / time / 1e6);
            fflush(stdout);
        }
        puts("");
        free(bytes);
    }
}
