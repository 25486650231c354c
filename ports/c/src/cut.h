/* Cuts folded text into tokens, piece by piece (sections 5 and 6). */
#ifndef SDOC_CUT_H
#define SDOC_CUT_H

#include "links.h"

/* Takes a token, behind which SDOC_SLACK bytes can be read; returns false to stop. */
typedef bool (*token_sink)(void *context, const uint8_t *token, size_t size);

/* Positions are those in the folder's buffer. */
struct cutter {
    token_sink sink;
    void *context;
    size_t at;
    bool after_word;
    enum link link;
    /* The stretch that is being read: whether it is of scriptio continua, and where it starts; for scriptio continua
     * the start of its last code point. */
    enum { SDOC_OUTSIDE, SDOC_IN_WORD, SDOC_IN_CONTINUA } state;
    size_t start;
    /* The properties of the stretch, or of its last code point in scriptio continua. */
    unsigned properties;
    /* The last code point of scriptio continua is in a bigram. */
    bool paired;
};

/* Cut as far as the text decides; the last call has all of it. Return false if the sink stopped. */
bool sdoc_cut(struct cutter *cutter, const uint8_t *text, size_t size, bool last);

/* Return the size of the text that is not needed any more. */
size_t sdoc_cutter_done(const struct cutter *cutter);

/* Note that the first bytes of the text are gone. */
void sdoc_cutter_discarded(struct cutter *cutter, size_t size);

#endif
