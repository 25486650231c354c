package io.github.simhashdoc;

import java.util.List;

/**
 * The results of all steps for one text.
 *
 * @param folded the folded text
 * @param prepared the link-free text
 * @param tokens the tokens before the cap, in the order of the text
 * @param hashes the hashes of each token, one for each lane
 * @param buckets the buckets, or null if the text has no token
 * @param fingerprint the fingerprint, or null if the text has no token
 */
public record Trace(
        String folded,
        String prepared,
        List<String> tokens,
        List<long[]> hashes,
        byte[] buckets,
        Fingerprint fingerprint) {}
