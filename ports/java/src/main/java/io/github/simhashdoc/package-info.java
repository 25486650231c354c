/**
 * Interoperable similarity fingerprints for documents: simhash-doc, version 1.
 *
 * <p>{@link io.github.simhashdoc.Simhash} computes fingerprints of texts, {@link
 * io.github.simhashdoc.Accumulator} of texts in pieces. {@link io.github.simhashdoc.Fingerprint}
 * reads, writes and compares them, and {@link io.github.simhashdoc.Index} finds near-duplicates.
 */
package io.github.simhashdoc;
