#include "fold.h"

#include <string.h>

#include "unicode.h"

static bool put(struct folder *folder, uint32_t c) {
    if (!sdoc_reserve(&folder->text, SDOC_LONGEST_UTF8)) return false;
    folder->text.size += sdoc_encode(c, folder->text.bytes + folder->text.size);
    return true;
}

static bool put_normalized(struct folder *folder) {
    if (folder->has_starter && !put(folder, folder->starter)) return false;
    folder->has_starter = false;
    for (size_t i = 0; i < folder->mark_count; i++)
        if (!put(folder, folder->marks[i])) return false;
    folder->mark_count = 0;
    return true;
}

/* Insertion sort by class: stable, and there are at most 30 marks. */
static void sort_marks(struct folder *folder) {
    for (size_t i = 1; i < folder->mark_count; i++) {
        uint32_t mark = folder->marks[i];
        size_t j = i;
        for (; j > 0 && sdoc_class(folder->marks[j - 1]) > sdoc_class(mark); j--)
            folder->marks[j] = folder->marks[j - 1];
        folder->marks[j] = mark;
    }
}

/* Order the marks, and compose them with the starter. */
static bool combine(struct folder *folder) {
    if (folder->mark_count > SDOC_MOST_MARKS) {
        folder->mark_count = 0;
        if (!put_normalized(folder)) return false;
        folder->has_starter = true;
        folder->starter = SDOC_REPLACEMENT;
        return true;
    }
    sort_marks(folder);
    size_t kept = 0;
    unsigned last_class = 0;
    for (size_t i = 0; i < folder->mark_count; i++) {
        uint32_t mark = folder->marks[i];
        bool blocked = !folder->has_starter || last_class >= sdoc_class(mark);
        uint32_t composite = blocked ? 0 : sdoc_compose(folder->starter, mark);
        if (composite) {
            folder->starter = composite;
        } else {
            folder->marks[kept++] = mark;
            last_class = sdoc_class(mark);
        }
    }
    folder->mark_count = kept;
    return true;
}

/* Take a code point of the NFD, and keep it until it composes with nothing that follows. */
static bool normalize(struct folder *folder, uint32_t c) {
    if (sdoc_class(c) != 0) {
        if (folder->mark_count < SDOC_MOST_MARKS) folder->marks[folder->mark_count] = c;
        if (folder->mark_count <= SDOC_MOST_MARKS) folder->mark_count++;
        return true;
    }
    if (!combine(folder)) return false;
    bool adjacent = folder->has_starter && folder->mark_count == 0;
    uint32_t composite = adjacent ? sdoc_compose(folder->starter, c) : 0;
    if (!composite && !put_normalized(folder)) return false;
    folder->has_starter = true;
    folder->starter = composite ? composite : c;
    return true;
}

static bool decompose(struct folder *folder, uint32_t c) {
    uint32_t points[SDOC_LONGEST_NFD];
    size_t count = sdoc_decompose(c, points);
    for (size_t i = 0; i < count; i++)
        if (!normalize(folder, points[i])) return false;
    return true;
}

/* Fold a code point that may have to be normalized, with the one before it. */
static bool involve(struct folder *folder, uint32_t c) {
    if (!folder->normalizing) {
        folder->normalizing = true;
        if (folder->open) {
            folder->open = false;
            folder->text.size -= sdoc_last_size(folder->text.bytes + folder->text.size);
            if (!decompose(folder, sdoc_decode(folder->text.bytes + folder->text.size))) return false;
        }
    }
    return decompose(folder, c);
}

static bool end_normalizing(struct folder *folder) {
    if (!folder->normalizing) return true;
    folder->normalizing = false;
    return combine(folder) && put_normalized(folder);
}

static bool inert(struct folder *folder, uint32_t c) {
    folder->open = true;
    return put(folder, c);
}

static bool scalar(struct folder *folder, uint32_t c) {
    unsigned folding = sdoc_folding(c);
    if (folding == SDOC_INERT) return end_normalizing(folder) && inert(folder, c);
    if (folding == SDOC_ITSELF) return involve(folder, c);
    unsigned number = folding - SDOC_FIRST_MAPPING;
    size_t from = sdoc_mapping_starts[number], to = sdoc_mapping_starts[number + 1];
    bool all_inert = sdoc_mapping_inert[number];
    if (all_inert && from < to && !end_normalizing(folder)) return false;
    for (size_t i = from; i < to; i++) {
        uint32_t mapped = sdoc_mapping_points[i];
        if (!(all_inert ? inert(folder, mapped) : involve(folder, mapped))) return false;
    }
    return true;
}

/* Fold the ASCII characters at the start of bytes; return their number, or 0 if memory lacks. */
static size_t ascii(struct folder *folder, const uint8_t *bytes, size_t size) {
    if (!end_normalizing(folder) || !sdoc_reserve(&folder->text, size)) return 0;
    uint8_t *out = folder->text.bytes + folder->text.size;
    size_t count = 0;
    for (uint64_t eight; size - count >= sizeof eight; count += sizeof eight) {
        memcpy(&eight, bytes + count, sizeof eight);
        if (eight & UINT64_C(0x8080808080808080)) break;
        /* Bit 7 of a byte becomes 1 from A on, and again 0 after Z; a capital differs from its letter in bit 5. */
        uint64_t from_a = eight + UINT64_C(0x3F3F3F3F3F3F3F3F), after_z = eight + UINT64_C(0x2525252525252525);
        eight |= (from_a & ~after_z & UINT64_C(0x8080808080808080)) >> 2;
        memcpy(out + count, &eight, sizeof eight);
    }
    for (; count < size && bytes[count] < 0x80; count++) {
        uint8_t c = bytes[count];
        out[count] = (uint8_t)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    folder->text.size += count;
    folder->open = true;
    return count;
}

/* Complete the sequence that the last piece cut; set how many bytes are taken. */
static bool complete(struct folder *folder, const uint8_t *bytes, size_t size, size_t *taken) {
    while (folder->incomplete_size > 0 && *taken < size) {
        folder->incomplete[folder->incomplete_size] = bytes[*taken];
        int length = sdoc_sequence(folder->incomplete, folder->incomplete_size + 1);
        if (length >= 0) ++*taken;
        if (length == 0) {
            folder->incomplete_size++;
        } else {
            folder->incomplete_size = 0;
            if (!scalar(folder, length > 0 ? sdoc_decode(folder->incomplete) : SDOC_REPLACEMENT)) return false;
        }
    }
    return true;
}

bool sdoc_folder_add(struct folder *folder, const uint8_t *bytes, size_t size) {
    size_t at = 0;
    if (!complete(folder, bytes, size, &at)) return false;
    while (at < size) {
        if (bytes[at] < 0x80) {
            size_t count = ascii(folder, bytes + at, size - at);
            if (count == 0) return false;
            at += count;
            continue;
        }
        int length = sdoc_sequence(bytes + at, size - at);
        if (length == 0) {
            folder->incomplete_size = size - at;
            memcpy(folder->incomplete, bytes + at, size - at);
            return true;
        }
        if (!scalar(folder, length > 0 ? sdoc_decode(bytes + at) : SDOC_REPLACEMENT)) return false;
        at += (size_t)(length > 0 ? length : -length);
    }
    return true;
}

bool sdoc_folder_end(struct folder *folder) {
    if (folder->incomplete_size > 0 && !scalar(folder, SDOC_REPLACEMENT)) return false;
    folder->incomplete_size = 0;
    folder->open = false;
    return end_normalizing(folder);
}

size_t sdoc_folder_decided(const struct folder *folder) {
    const struct buffer *text = &folder->text;
    return folder->open ? text->size - sdoc_last_size(text->bytes + text->size) : text->size;
}

void sdoc_folder_discard(struct folder *folder, size_t size) {
    folder->text.size -= size;
    memmove(folder->text.bytes, folder->text.bytes + size, folder->text.size);
}
