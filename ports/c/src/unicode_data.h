/* The tables that are generated from the pinned data: Unicode 15.0. */
#ifndef SDOC_UNICODE_DATA_H
#define SDOC_UNICODE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct composite {
    uint32_t first, second, composite;
};

enum { SDOC_BLOCK_BITS = 7 };

extern const uint16_t sdoc_properties_index[], sdoc_classes_index[], sdoc_foldings_index[], sdoc_decompositions_index[];
extern const uint8_t sdoc_properties_values[], sdoc_classes_values[];
extern const uint16_t sdoc_foldings_values[], sdoc_decompositions_values[];
extern const uint16_t sdoc_mapping_starts[], sdoc_decomposition_starts[];
extern const uint32_t sdoc_mapping_points[], sdoc_decomposition_points[];
extern const bool sdoc_mapping_inert[];
extern const size_t sdoc_composite_count;
extern const struct composite sdoc_composites[];

#endif
