#include "pipeline.h"

enum { PIECE = 8192 };

bool sdoc_pipeline_add(struct pipeline *pipeline, const uint8_t *bytes, size_t size) {
    struct folder *folder = &pipeline->folder;
    while (size > 0) {
        size_t piece = size < PIECE ? size : PIECE;
        if (!sdoc_folder_add(folder, bytes, piece)) return false;
        bytes += piece;
        size -= piece;
        size_t decided = sdoc_folder_decided(folder);
        if (!sdoc_cut(&pipeline->cutter, folder->text.bytes, decided, false)) return false;
        size_t done = sdoc_cutter_done(&pipeline->cutter);
        if (done > decided / 2) {
            sdoc_folder_discard(folder, done);
            sdoc_cutter_discarded(&pipeline->cutter, done);
        }
    }
    return true;
}

bool sdoc_pipeline_end(struct pipeline *pipeline) {
    struct folder *folder = &pipeline->folder;
    return sdoc_folder_end(folder) && sdoc_cut(&pipeline->cutter, folder->text.bytes, folder->text.size, true);
}
