/* Reads UTF-8 piece by piece and folds it (sections 3 and 4). */
#ifndef SDOC_FOLD_H
#define SDOC_FOLD_H

#include "buffer.h"
#include "utf8.h"

enum { SDOC_MOST_MARKS = 30 };

struct folder {
    struct buffer text;
    /* The last code point of the text may still compose with what follows. */
    bool open;
    /* The bytes of a sequence that the last piece cut. */
    uint8_t incomplete[SDOC_LONGEST_UTF8];
    size_t incomplete_size;
    /* Between two inert code points: one starter in NFC, and the marks behind it in NFD. */
    bool normalizing, has_starter;
    uint32_t starter;
    uint32_t marks[SDOC_MOST_MARKS];
    size_t mark_count;
};

/* Add a piece; return false if memory lacks. */
bool sdoc_folder_add(struct folder *folder, const uint8_t *bytes, size_t size);

/* End the text; return false if memory lacks. */
bool sdoc_folder_end(struct folder *folder);

/* Return the size of the folded text that no later piece changes. */
size_t sdoc_folder_decided(const struct folder *folder);

/* Forget the first bytes of the folded text. */
void sdoc_folder_discard(struct folder *folder, size_t size);

#endif
