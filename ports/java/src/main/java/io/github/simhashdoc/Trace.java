package io.github.simhashdoc;

import java.util.List;

/** The results of all steps for one text. */
public final class Trace {
    private final String folded;
    private final String prepared;
    private final List<String> tokens;
    private final List<long[]> hashes;
    private final byte[] buckets;
    private final Fingerprint fingerprint;

    Trace(
            String folded,
            String prepared,
            List<String> tokens,
            List<long[]> hashes,
            byte[] buckets,
            Fingerprint fingerprint) {
        this.folded = folded;
        this.prepared = prepared;
        this.tokens = tokens;
        this.hashes = hashes;
        this.buckets = buckets;
        this.fingerprint = fingerprint;
    }

    /**
     * Returns the folded text.
     *
     * @return the folded text
     */
    public String folded() {
        return folded;
    }

    /**
     * Returns the link-free text.
     *
     * @return the link-free text
     */
    public String prepared() {
        return prepared;
    }

    /**
     * Returns the tokens before the cap, in the order of the text.
     *
     * @return the tokens before the cap, in the order of the text
     */
    public List<String> tokens() {
        return tokens;
    }

    /**
     * Returns the hashes of each token, one for each lane.
     *
     * @return the hashes of each token, one for each lane
     */
    public List<long[]> hashes() {
        return hashes;
    }

    /**
     * Returns the buckets, or null if the text has no token.
     *
     * @return the buckets, or null if the text has no token
     */
    public byte[] buckets() {
        return buckets;
    }

    /**
     * Returns the fingerprint, or null if the text has no token.
     *
     * @return the fingerprint, or null if the text has no token
     */
    public Fingerprint fingerprint() {
        return fingerprint;
    }
}
