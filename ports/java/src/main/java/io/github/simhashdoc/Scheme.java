package io.github.simhashdoc;

import java.util.List;

/** The schemes of the registry (specification, section 12). */
public enum Scheme {
    /** 64 bits, 13 characters. */
    SD64("sd64", 64, 3, 6),
    /** 128 bits, 26 characters. */
    SD128("sd128", 128, 10, 16),
    /** 256 bits, 52 characters. */
    SD256("sd256", 256, 26, 36),
    /** 512 bits, 103 characters. */
    SD512("sd512", 512, 56, 76);

    private static final List<Scheme> ALL = List.of(values());

    private final String id;
    private final int bits;
    private final int close;
    private final int loose;

    Scheme(String id, int bits, int close, int loose) {
        this.id = id;
        this.bits = bits;
        this.close = close;
        this.loose = loose;
    }

    /**
     * Finds the scheme of a short id, which has to be in lower case and without {@code +custom}.
     *
     * @param id the short id, such as {@code sd64}
     * @return the scheme
     * @throws SimhashException {@link Problem#UNKNOWN_SCHEME} for any other name
     */
    public static Scheme of(String id) {
        for (Scheme scheme : ALL) {
            if (scheme.id.equals(id)) {
                return scheme;
            }
        }
        throw new SimhashException(
                Problem.UNKNOWN_SCHEME,
                "\"" + id + "\" is not one of sd64, sd128, sd256 and sd512");
    }

    /**
     * Finds the scheme with a number of characters.
     *
     * @param characters the number of characters of a text form
     * @return the scheme, or null if none has this number
     */
    static Scheme ofCharacters(int characters) {
        for (Scheme scheme : ALL) {
            if (scheme.characters() == characters) {
                return scheme;
            }
        }
        return null;
    }

    /**
     * Returns the short id.
     *
     * @return the short id, such as {@code sd64}
     */
    public String id() {
        return id;
    }

    /**
     * Returns the number of bits of a fingerprint.
     *
     * @return 64, 128, 256 or 512
     */
    public int bits() {
        return bits;
    }

    /**
     * Returns the number of 64-bit lanes of a fingerprint.
     *
     * @return 1, 2, 4 or 8
     */
    public int lanes() {
        return bits / Long.SIZE;
    }

    /**
     * Returns the number of characters of a text form without its scheme.
     *
     * @return 13, 26, 52 or 103
     */
    public int characters() {
        return (bits + 4) / 5;
    }

    /**
     * Returns the largest distance of two close documents (search.md).
     *
     * @return the threshold in bits
     */
    public int close() {
        return close;
    }

    /**
     * Returns the largest distance of two loosely similar documents (search.md).
     *
     * @return the threshold in bits
     */
    public int loose() {
        return loose;
    }
}
