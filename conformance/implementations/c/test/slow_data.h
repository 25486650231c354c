/* The tables of the specification, and the forms of links, for the slow version. */
#ifndef SLOW_DATA_H
#define SLOW_DATA_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_POINTS = 0x110000, LONGEST = 20, FORMS = 7 };

/* For each code point whether it is in a table, and its number there. */
struct table {
    bool there[CODE_POINTS];
    uint32_t values[CODE_POINTS];
};

struct sequence {
    size_t size;
    uint32_t points[LONGEST];
};

extern struct table word, connector, alphabetic, continua, assigned, nonstarter, classes;
extern struct sequence *foldings[CODE_POINTS], *decompositions[CODE_POINTS];
extern struct sequence pairs[];
extern uint32_t composites[];
extern size_t pair_count;
/* The last two end with what follows the link, which is their first group. */
extern regex_t forms[FORMS];

/* Read the tables, unless that has been done. */
void prepare(void);

/* Return memory, or end the program if it is null. */
void *checked(void *memory);

#endif
