package io.github.simhashdoc;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A fingerprint: the bits of a scheme, and whether they are canonical (section 11). Immutable. */
public final class Fingerprint {
    private static final String CUSTOM = "+custom";

    private final Scheme scheme;
    private final long[] lanes;
    private final boolean canonical;

    Fingerprint(Scheme scheme, long[] lanes, boolean canonical) {
        this.scheme = scheme;
        this.lanes = lanes;
        this.canonical = canonical;
    }

    /**
     * Makes a fingerprint of its bytes.
     *
     * @param bytes the bytes, lane 0 first, the most significant byte first
     * @param scheme the scheme
     * @param canonical whether it was computed with the tokens of the specification
     * @return the fingerprint
     * @throws SimhashException {@link Problem#BAD_LENGTH} if the number of bytes is not the
     *     scheme's
     */
    public static Fingerprint of(byte[] bytes, Scheme scheme, boolean canonical) {
        if (bytes.length != scheme.bits() / Byte.SIZE) {
            String right = scheme.bits() / Byte.SIZE + " for " + scheme.id();
            throw new SimhashException(
                    Problem.BAD_LENGTH, bytes.length + " bytes instead of " + right);
        }
        long[] lanes = new long[scheme.lanes()];
        ByteBuffer.wrap(bytes).asLongBuffer().get(lanes);
        return new Fingerprint(scheme, lanes, canonical);
    }

    /**
     * Reads a text form, with or without its scheme.
     *
     * @param text a text form such as {@code sd64:raeidodvqipge}
     * @return the fingerprint
     * @throws SimhashException the first error of SD-TEXT-4 that applies
     */
    public static Fingerprint parse(String text) {
        return read(text, null);
    }

    /**
     * Reads a text form of an expected scheme.
     *
     * @param text a text form, with or without its scheme
     * @param expected the scheme that it has to be of
     * @return the fingerprint
     * @throws SimhashException the first error of SD-TEXT-4 that applies
     */
    public static Fingerprint parse(String text, Scheme expected) {
        return read(text, java.util.Objects.requireNonNull(expected, "expected"));
    }

    private static Fingerprint read(String text, Scheme expected) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return decoded(text, expected, true);
        }
        String name = lowerCase(text.substring(0, colon));
        boolean custom = name.endsWith(CUSTOM);
        Scheme named =
                Scheme.of(custom ? name.substring(0, name.length() - CUSTOM.length()) : name);
        if (expected != null && expected != named) {
            throw new SimhashException(
                    Problem.SCHEME_MISMATCH, named.id() + " instead of " + expected.id());
        }
        return decoded(text.substring(colon + 1), named, !custom);
    }

    private static Fingerprint decoded(String digits, Scheme scheme, boolean canonical) {
        long[] lanes = Base32.decode(digits, scheme);
        return new Fingerprint(Scheme.ofCharacters(digits.length()), lanes, canonical);
    }

    /** ASCII letters in lower case, and nothing else changed. */
    private static String lowerCase(String text) {
        StringBuilder out = new StringBuilder(text);
        for (int i = 0; i < out.length(); i++) {
            char c = out.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                out.setCharAt(i, (char) (c + ('a' - 'A')));
            }
        }
        return out.toString();
    }

    /**
     * Returns the scheme.
     *
     * @return the scheme
     */
    public Scheme scheme() {
        return scheme;
    }

    /**
     * Returns whether the fingerprint is canonical, that is, without the mark {@code +custom}.
     *
     * @return whether it is canonical
     */
    public boolean isCanonical() {
        return canonical;
    }

    /**
     * Returns the bits of one lane.
     *
     * @param lane the number of the lane, from 0
     * @return its 64 bits; bit 0 is the least significant
     */
    public long lane(int lane) {
        return lanes[lane];
    }

    /**
     * Returns the bytes, lane 0 first, the most significant byte first.
     *
     * @return a new array of {@code bits / 8} bytes
     */
    public byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(lanes.length * Long.BYTES);
        bytes.asLongBuffer().put(lanes);
        return bytes.array();
    }

    /**
     * Returns the fingerprint of the same text in a scheme that is not wider: its first lanes
     * (section 13). A customised fingerprint stays customised.
     *
     * @param narrower a scheme with as many lanes or fewer
     * @return the fingerprint
     * @throws SimhashException {@link Problem#SCHEME_MISMATCH} if the scheme is wider
     */
    public Fingerprint narrow(Scheme narrower) {
        if (narrower.lanes() > lanes.length) {
            throw new SimhashException(
                    Problem.SCHEME_MISMATCH,
                    scheme.id() + " cannot be narrowed to " + narrower.id() + ", which is wider");
        }
        return new Fingerprint(narrower, Arrays.copyOf(lanes, narrower.lanes()), canonical);
    }

    /**
     * Returns the number of bits in which two fingerprints differ.
     *
     * @param other a fingerprint of the same scheme
     * @return the distance, from 0 to the number of bits
     * @throws SimhashException {@link Problem#SCHEME_MISMATCH} if the schemes differ
     */
    public int distance(Fingerprint other) {
        if (scheme != other.scheme) {
            throw new SimhashException(
                    Problem.SCHEME_MISMATCH,
                    scheme.id() + " and " + other.scheme.id() + " cannot be compared");
        }
        int distance = 0;
        for (int i = 0; i < lanes.length; i++) {
            distance += Long.bitCount(lanes[i] ^ other.lanes[i]);
        }
        return distance;
    }

    /**
     * Returns 1 - distance / bits.
     *
     * @param other a fingerprint of the same scheme
     * @return the similarity, from 0 to 1
     * @throws SimhashException {@link Problem#SCHEME_MISMATCH} if the schemes differ
     */
    public double similarity(Fingerprint other) {
        return 1 - (double) distance(other) / scheme.bits();
    }

    /**
     * Returns the text form with its scheme.
     *
     * @return the text form, such as {@code sd64:raeidodvqipge}
     */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder(scheme.id());
        if (!canonical) {
            out.append(CUSTOM);
        }
        Base32.encode(lanes, out.append(':'));
        return out.toString();
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Fingerprint
                && scheme == ((Fingerprint) object).scheme
                && canonical == ((Fingerprint) object).canonical
                && Arrays.equals(lanes, ((Fingerprint) object).lanes);
    }

    @Override
    public int hashCode() {
        return 2 * Arrays.hashCode(lanes) + (canonical ? 1 : 0);
    }
}
