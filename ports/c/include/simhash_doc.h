/**
 * simhash-doc, version 1: interoperable similarity fingerprints for documents.
 *
 * Texts are UTF-8 of any length and may contain U+0000. Ill-formed parts count as U+FFFD. Functions that can fail
 * return a status; out parameters are set only with SIMHASH_DOC_OK. No function keeps a pointer to its arguments. The
 * library has no global state: different threads may use different objects at the same time.
 */
#ifndef SIMHASH_DOC_H
#define SIMHASH_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(_WIN32)
#define SIMHASH_DOC_API __attribute__((visibility("default")))
#else
#define SIMHASH_DOC_API
#endif

/** The version of the library, and that of the specification that it implements. */
#define SIMHASH_DOC_VERSION "0.1.0"
#define SIMHASH_DOC_SPECIFICATION "1.0.0-rc.4"

enum {
    SIMHASH_DOC_MAX_LANES = 8,
    SIMHASH_DOC_MAX_BITS = 512,
    SIMHASH_DOC_MAX_BYTES = 64,
    /** The size of a buffer for every text form, with its scheme, `+custom` and the final zero. */
    SIMHASH_DOC_TEXT_SIZE = 128,
};

/** The named errors of the specification (section 14), and lack of memory. */
typedef enum {
    SIMHASH_DOC_OK,
    SIMHASH_DOC_NO_TOKEN,        /**< the text contains no token */
    SIMHASH_DOC_UNKNOWN_SCHEME,  /**< not the short id of a scheme */
    SIMHASH_DOC_PADDING,         /**< the text form contains "=" */
    SIMHASH_DOC_BAD_CHARACTER,   /**< the text form contains another character outside the alphabet */
    SIMHASH_DOC_BAD_LENGTH,      /**< the number of characters or bytes is not that of the scheme */
    SIMHASH_DOC_SPARE_BITS,      /**< a spare bit is 1 */
    SIMHASH_DOC_SCHEME_MISMATCH, /**< different schemes, not the expected one, or a wider one */
    SIMHASH_DOC_OVER_LIMIT,      /**< more than 2^32 - 2 distinct tokens */
    SIMHASH_DOC_NO_MEMORY,       /**< an allocation failed */
    SIMHASH_DOC_ENDED,           /**< text was added to an accumulator after its first result */
} simhash_doc_status;

typedef enum {
    SIMHASH_DOC_SD64,
    SIMHASH_DOC_SD128,
    SIMHASH_DOC_SD256,
    SIMHASH_DOC_SD512,
} simhash_doc_scheme;

/** A fingerprint. Lanes that the scheme does not have are 0. */
typedef struct {
    simhash_doc_scheme scheme;
    /** False for the mark `+custom`: computed with other tokens than those of the specification. */
    bool canonical;
    /** Bit 0 of a lane is the least significant. */
    uint64_t lanes[SIMHASH_DOC_MAX_LANES];
} simhash_doc_fingerprint;

/** Return the name of an error in the specification, such as "no-token"; "ok", "no-memory" and "ended" otherwise. */
SIMHASH_DOC_API const char *simhash_doc_status_name(simhash_doc_status status);

/** Find a scheme by its short id, which has to be exactly as in the registry: SIMHASH_DOC_UNKNOWN_SCHEME otherwise. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_scheme_find(const char *id, size_t size, simhash_doc_scheme *scheme);

/** Return the short id of a scheme, such as "sd64". */
SIMHASH_DOC_API const char *simhash_doc_scheme_id(simhash_doc_scheme scheme);

/** Return the number of bits of a fingerprint: 64, 128, 256 or 512. */
SIMHASH_DOC_API unsigned simhash_doc_scheme_bits(simhash_doc_scheme scheme);

/** Return the number of 64-bit lanes of a fingerprint: 1, 2, 4 or 8. */
SIMHASH_DOC_API unsigned simhash_doc_scheme_lanes(simhash_doc_scheme scheme);

/** Return the number of characters of a text form without its scheme: 13, 26, 52 or 103. */
SIMHASH_DOC_API unsigned simhash_doc_scheme_characters(simhash_doc_scheme scheme);

/** Return the largest distance of close documents, and of loosely similar ones (search.md). */
SIMHASH_DOC_API unsigned simhash_doc_scheme_close(simhash_doc_scheme scheme);
SIMHASH_DOC_API unsigned simhash_doc_scheme_loose(simhash_doc_scheme scheme);

/** Compute the fingerprint of a text. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_compute(const char *text, size_t size, simhash_doc_scheme scheme,
                                                       simhash_doc_fingerprint *fingerprint);

/** The size of memory in which a text of so many bytes always has its fingerprint computed; most texts need less. */
#define SIMHASH_DOC_MEMORY(size) ((size_t)48 * (size) + 131072)

/** Compute the fingerprint of a text without allocation, in `memory`: SIMHASH_DOC_NO_MEMORY if that is too small. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_compute_in(void *memory, size_t memory_size, const char *text,
                                                          size_t size, simhash_doc_scheme scheme,
                                                          simhash_doc_fingerprint *fingerprint);

/** Compute the buckets of a text: one for each bit, from -127 to 127, lane by lane, bit 0 first. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_compute_buckets(const char *text, size_t size, simhash_doc_scheme scheme,
                                                               int8_t buckets[SIMHASH_DOC_MAX_BITS]);

/**
 * Read a text form, with or without its scheme.
 *
 * `expected` is the scheme that it has to be of, or null. The error is the first of SD-TEXT-4 that applies.
 */
SIMHASH_DOC_API simhash_doc_status simhash_doc_parse(const char *text, size_t size, const simhash_doc_scheme *expected,
                                                     simhash_doc_fingerprint *fingerprint);

/** Write the text form with its scheme and a final zero; return the number of characters without the zero. */
SIMHASH_DOC_API size_t simhash_doc_format(const simhash_doc_fingerprint *fingerprint, char text[SIMHASH_DOC_TEXT_SIZE]);

/** Read the bytes of a fingerprint: lane 0 first, most significant byte first. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_from_bytes(const uint8_t *bytes, size_t size, simhash_doc_scheme scheme,
                                                          bool canonical, simhash_doc_fingerprint *fingerprint);

/** Write the bytes of a fingerprint; return their number. */
SIMHASH_DOC_API size_t simhash_doc_to_bytes(const simhash_doc_fingerprint *fingerprint,
                                            uint8_t bytes[SIMHASH_DOC_MAX_BYTES]);

/**
 * Give the fingerprint of the same text in a scheme that is not wider: its first lanes (section 13). `+custom` is kept.
 *
 * SIMHASH_DOC_SCHEME_MISMATCH if the scheme is wider. `narrowed` may be the same object as `fingerprint`.
 */
SIMHASH_DOC_API simhash_doc_status simhash_doc_narrow(const simhash_doc_fingerprint *fingerprint,
                                                      simhash_doc_scheme scheme, simhash_doc_fingerprint *narrowed);

/** Compute the number of bits in which two fingerprints of one scheme differ. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_distance(const simhash_doc_fingerprint *a,
                                                        const simhash_doc_fingerprint *b, unsigned *distance);

/** Return 1 - distance / bits for a distance within a scheme. */
SIMHASH_DOC_API double simhash_doc_similarity(simhash_doc_scheme scheme, unsigned distance);

/** A text that arrives in pieces, which may end anywhere, also inside a character or a link. */
typedef struct simhash_doc_accumulator simhash_doc_accumulator;

/** Create an accumulator of the empty text; null if memory lacks. */
SIMHASH_DOC_API simhash_doc_accumulator *simhash_doc_accumulator_new(void);

/** Free an accumulator, or do nothing for null. */
SIMHASH_DOC_API void simhash_doc_accumulator_free(simhash_doc_accumulator *accumulator);

/** Add the next piece. After an error, the accumulator gives this error for every other call. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_accumulator_add(simhash_doc_accumulator *accumulator, const char *piece,
                                                               size_t size);

/** End the text and compute its fingerprint. It can be asked for in several schemes. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_accumulator_fingerprint(simhash_doc_accumulator *accumulator,
                                                                       simhash_doc_scheme scheme,
                                                                       simhash_doc_fingerprint *fingerprint);

/** End the text and compute its buckets. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_accumulator_buckets(simhash_doc_accumulator *accumulator,
                                                                   simhash_doc_scheme scheme,
                                                                   int8_t buckets[SIMHASH_DOC_MAX_BITS]);

/** A result of a step, in UTF-8; `bytes` is to be freed with `free`. */
typedef struct {
    char *bytes;
    size_t size;
} simhash_doc_string;

/** Fold a text (section 4). */
SIMHASH_DOC_API simhash_doc_status simhash_doc_fold(const char *text, size_t size, simhash_doc_string *folded);

/** Replace the links of a folded text by spaces (section 5). */
SIMHASH_DOC_API simhash_doc_status simhash_doc_remove_links(const char *folded, size_t size,
                                                            simhash_doc_string *link_free);

/** Takes a token, which changes after the call; returns false to stop. */
typedef bool (*simhash_doc_token_callback)(void *context, const char *token, size_t size);

/** Give the tokens of a text before the cap, in the order of the text (section 6). */
SIMHASH_DOC_API simhash_doc_status simhash_doc_tokens(const char *text, size_t size,
                                                      simhash_doc_token_callback callback, void *context);

/** Compute the hash of a token: one for each lane of the scheme (section 7). */
SIMHASH_DOC_API void simhash_doc_hash(const char *token, size_t size, simhash_doc_scheme scheme,
                                      uint64_t hashes[SIMHASH_DOC_MAX_LANES]);

/** A token in UTF-8 and its hash. Lanes that the scheme does not have are 0. */
typedef struct {
    char *bytes;
    size_t size;
    uint64_t hashes[SIMHASH_DOC_MAX_LANES];
} simhash_doc_token;

/** The results of all steps. It owns its memory. */
typedef struct {
    simhash_doc_string folded;
    simhash_doc_string link_free;
    /** The tokens before the cap, in the order of the text; null if there are none. */
    simhash_doc_token *tokens;
    size_t token_count;
    /** SIMHASH_DOC_OK; or SIMHASH_DOC_NO_TOKEN, and then the members after it are 0. */
    simhash_doc_status result;
    /** One for each bit of the scheme, lane by lane, bit 0 first. */
    int8_t buckets[SIMHASH_DOC_MAX_BITS];
    simhash_doc_fingerprint fingerprint;
    /** The text form with its scheme and a final zero. */
    char text[SIMHASH_DOC_TEXT_SIZE];
} simhash_doc_trace;

/** Compute the results of all steps, to be freed with `simhash_doc_trace_free`. A text without tokens has a trace. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_compute_trace(const char *text, size_t size, simhash_doc_scheme scheme,
                                                             simhash_doc_trace *trace);

/** Free the memory that a trace owns, and set all its members to 0. */
SIMHASH_DOC_API void simhash_doc_trace_free(simhash_doc_trace *trace);

/** Fingerprints of one scheme, numbered from 0 in the order in which they were added if none was removed. */
typedef struct simhash_doc_index simhash_doc_index;

/** Create an empty index; null if memory lacks. */
SIMHASH_DOC_API simhash_doc_index *simhash_doc_index_new(simhash_doc_scheme scheme);

/** Free an index, or do nothing for null. */
SIMHASH_DOC_API void simhash_doc_index_free(simhash_doc_index *index);

/** Add an entry. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_index_add(simhash_doc_index *index,
                                                         const simhash_doc_fingerprint *fingerprint);

/** Remove an entry, the number of which the last one takes. Return false if there is no entry with this number. */
SIMHASH_DOC_API bool simhash_doc_index_remove(simhash_doc_index *index, size_t entry);

/** Takes the number of an entry; returns false to stop. */
typedef bool (*simhash_doc_entry_callback)(void *context, size_t entry);

/** Give the entries within a distance of a fingerprint, in order. Every entry is compared. */
SIMHASH_DOC_API simhash_doc_status simhash_doc_index_query(const simhash_doc_index *index,
                                                           const simhash_doc_fingerprint *fingerprint,
                                                           unsigned distance, simhash_doc_entry_callback callback,
                                                           void *context);

/** Takes the numbers of two entries, the lower one first; returns false to stop. */
typedef bool (*simhash_doc_pair_callback)(void *context, size_t first, size_t second);

/** Give all pairs of entries within a distance. The time is quadratic. */
SIMHASH_DOC_API void simhash_doc_index_pairs(const simhash_doc_index *index, unsigned distance,
                                             simhash_doc_pair_callback callback, void *context);

#ifdef __cplusplus
}
#endif

#endif
