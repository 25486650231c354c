/* From pieces of a text to its tokens: reads, folds and cuts them (sections 3 to 6). */
#ifndef SDOC_PIPELINE_H
#define SDOC_PIPELINE_H

#include "cut.h"
#include "fold.h"

struct pipeline {
    struct folder folder;
    struct cutter cutter;
};

/* Add a piece; return false if memory lacks or the sink stopped. */
bool sdoc_pipeline_add(struct pipeline *pipeline, const uint8_t *bytes, size_t size);

/* End the text; return false if memory lacks or the sink stopped. */
bool sdoc_pipeline_end(struct pipeline *pipeline);

#endif
