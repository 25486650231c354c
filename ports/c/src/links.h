/* The grammar of links (section 5), on folded text in UTF-8. */
#ifndef SDOC_LINKS_H
#define SDOC_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A position in a text that ends at `end`. */
struct place {
    const uint8_t *at, *end;
};

/* How a link continues after the part that is decided. */
enum link { SDOC_NO_LINK, SDOC_ENDED, SDOC_TAIL, SDOC_LABELS };

/* So many bytes decide whether a link starts and where the part that is matched ends: `mailto:`, a mailbox of 64, `@`,
 * and two labels of 63 with a full stop between. More than enough decide how a link continues. */
enum { SDOC_LOOK_AHEAD = 7 + 64 + 1 + 63 + 1 + 63 };

/* Tell whether an ASCII word character is at a place. */
bool sdoc_is_word(struct place place);

/* Tell whether a link may start with ASCII word characters, `size` of them, before `behind`. Every form except the
 * digest has one of a few characters behind them. */
static inline bool sdoc_may_be_link(size_t size, struct place behind) {
    if (size >= 32) return true;
    if (behind.at == behind.end) return false;
    switch (*behind.at) {
        case '+':
        case '.':
        case '-':
        case ':':
        case '@':
        case '%': return true;
        default: return false;
    }
}

/* Try the forms at a place where a link can start, and move the place behind the part that is decided. */
enum link sdoc_match_link(struct place *place);

/* Move the place over what follows of a link that continues, as far as the text goes; return true if it ends there. */
bool sdoc_continue_link(enum link link, struct place *place);

#endif
