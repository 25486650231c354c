package io.github.simhashdoc;

/**
 * Computes the fingerprint of a text that arrives in pieces (SD-PIECE-1). The pieces may end
 * anywhere, also inside a character, a word or a link. Memory is in proportion to the distinct
 * tokens and the longest word.
 *
 * <pre>{@code
 * Accumulator accumulator = new Accumulator();
 * while ((n = in.read(buffer)) >= 0) {
 *     accumulator.add(buffer, 0, n);
 * }
 * Fingerprint fingerprint = accumulator.fingerprint(Scheme.SD64);
 * }</pre>
 *
 * <p>An accumulator takes either bytes or characters, and no piece after the first result. It is
 * not safe for use by several threads at once.
 */
public final class Accumulator {
    private final Pipeline pipeline;
    private final TokenCounts counts = new TokenCounts();

    /** Makes an accumulator of the empty text. */
    public Accumulator() {
        pipeline = new Pipeline(counts);
    }

    /**
     * Adds the next piece of the text in UTF-8. Ill-formed parts become U+FFFD.
     *
     * @param piece the bytes
     * @return this accumulator
     * @throws SimhashException {@link Problem#OVER_LIMIT} if the distinct tokens exceed 2 GB
     * @throws IllegalStateException after the first result
     */
    public Accumulator add(byte[] piece) {
        return add(piece, 0, piece.length);
    }

    /**
     * Adds the next piece of the text in UTF-8. Ill-formed parts become U+FFFD.
     *
     * @param buffer an array that contains the bytes
     * @param offset the position of the first one
     * @param length their number
     * @return this accumulator
     * @throws SimhashException {@link Problem#OVER_LIMIT} if the distinct tokens exceed 2 GB
     * @throws IllegalStateException after the first result
     */
    public Accumulator add(byte[] buffer, int offset, int length) {
        java.util.Objects.checkFromIndexSize(offset, length, buffer.length);
        pipeline.add(buffer, offset, offset + length);
        return this;
    }

    /**
     * Adds the next piece of the text. Surrogates without a partner become U+FFFD.
     *
     * @param piece the characters
     * @return this accumulator
     * @throws SimhashException {@link Problem#OVER_LIMIT} if the distinct tokens exceed 2 GB
     * @throws IllegalStateException after the first result
     */
    public Accumulator add(CharSequence piece) {
        pipeline.add(piece);
        return this;
    }

    /**
     * Ends the text and returns its fingerprint.
     *
     * @param scheme the scheme
     * @return the canonical fingerprint
     * @throws SimhashException {@link Problem#NO_TOKEN} if the text contains no token
     */
    public Fingerprint fingerprint(Scheme scheme) {
        return Simhash.sign(buckets(scheme), scheme);
    }

    /**
     * Ends the text and returns its buckets.
     *
     * @param scheme the scheme
     * @return the buckets, from -127 to 127, lane by lane, bit 0 first
     * @throws SimhashException {@link Problem#NO_TOKEN} if the text contains no token
     */
    public byte[] buckets(Scheme scheme) {
        pipeline.finish();
        return counts.buckets(scheme);
    }
}
