#define _POSIX_C_SOURCE 200809L
#include "slow_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table word, connector, alphabetic, continua, assigned, nonstarter, classes;
struct sequence *foldings[CODE_POINTS], *decompositions[CODE_POINTS];
struct sequence pairs[1000];
uint32_t composites[1000];
size_t pair_count;
regex_t forms[FORMS];

void *checked(void *memory) {
    if (!memory) abort();
    return memory;
}

static struct sequence *sequence_of(const char *value) {
    struct sequence *sequence = checked(calloc(1, sizeof *sequence));
    for (char *end; *value && *value != '\n'; value = end)
        sequence->points[sequence->size++] = (uint32_t)strtoul(value, &end, 16);
    return sequence;
}

typedef void row_reader(uint32_t first, uint32_t last, const char *value);

static void read_table(const char *name, row_reader *take) {
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/%s.txt", SIMHASH_DOC_DATA, name);
    FILE *file = checked(fopen(path, "r"));
    while (fgets(line, sizeof line, file)) {
        if (*line == '#') continue;
        char *end;
        uint32_t first = (uint32_t)strtoul(line, &end, 16), last = first;
        if (*end == '.') last = (uint32_t)strtoul(end + 2, &end, 16);
        char *value = strchr(end, ';');
        take(first, last, value ? value + 1 + (value[1] == ' ') : "");
    }
    fclose(file);
}

static void mark(struct table *table, uint32_t first, uint32_t last, uint32_t value) {
    for (uint32_t c = first; c <= last; c++) {
        table->there[c] = true;
        table->values[c] = value;
    }
}

static void take_word(uint32_t first, uint32_t last, const char *value) {
    mark(&word, first, last, 0);
    if (strncmp(value, "Pc", 2) == 0) mark(&connector, first, last, 0);
}

static void take_alphabetic(uint32_t first, uint32_t last, const char *value) {
    (void)value;
    mark(&alphabetic, first, last, 0);
}

static void take_continua(uint32_t first, uint32_t last, const char *value) {
    (void)value;
    mark(&continua, first, last, 0);
}

static void take_assigned(uint32_t first, uint32_t last, const char *value) {
    (void)value;
    mark(&assigned, first, last, 0);
}

static void take_nonstarter(uint32_t first, uint32_t last, const char *value) {
    (void)value;
    mark(&nonstarter, first, last, 0);
}

static void take_class(uint32_t first, uint32_t last, const char *value) {
    mark(&classes, first, last, (uint32_t)strtoul(value, NULL, 10));
}

static void take_folding(uint32_t first, uint32_t last, const char *value) {
    for (uint32_t c = first; c <= last; c++) foldings[c] = sequence_of(value);
}

static void take_decomposition(uint32_t first, uint32_t last, const char *value) {
    (void)last;
    decompositions[first] = sequence_of(value);
}

static void take_composition(uint32_t first, uint32_t last, const char *value) {
    (void)last;
    struct sequence *pair = sequence_of(value);
    pairs[pair_count] = *pair;
    composites[pair_count++] = first;
    free(pair);
}

#define TAIL "[]a-z0-9._~:/?#[@!$&'()*+,;=%-]"

void prepare(void) {
    static bool prepared;
    if (prepared) return;
    prepared = true;
    read_table("word", take_word);
    read_table("alphabetic", take_alphabetic);
    read_table("continua", take_continua);
    read_table("assigned", take_assigned);
    read_table("nonstarter", take_nonstarter);
    read_table("combining_class", take_class);
    read_table("nfkc_casefold", take_folding);
    read_table("decomposition", take_decomposition);
    read_table("composition", take_composition);
    /* The last two are followed by something else than a word character, which is part of the match. */
    static const char *const EXPRESSIONS[] = {
        "^[a-z][a-z0-9+.-]{0,31}://" TAIL "*",
        "^(doi|urn|arxiv|hdl):[a-z0-9]" TAIL "*",
        "^www\\.[a-z0-9-]{1,63}\\." TAIL "*",
        "^(mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})+",
        "^10\\.[0-9]{4,9}(\\.[0-9]{1,9}){0,3}/" TAIL "+",
        "^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})([^a-z0-9_]|$)",
        "^([0-9a-f]{32,128})([^a-z0-9_]|$)",
    };
    for (int i = 0; i < FORMS; i++)
        if (regcomp(&forms[i], EXPRESSIONS[i], REG_EXTENDED) != 0) abort();
}
