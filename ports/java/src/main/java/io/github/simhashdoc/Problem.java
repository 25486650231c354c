package io.github.simhashdoc;

/** The named errors of the specification (section 14). */
public enum Problem {
    /** The text contains no token. */
    NO_TOKEN("no-token"),
    /** The scheme is not in the registry, or is not named by its short id. */
    UNKNOWN_SCHEME("unknown-scheme"),
    /** The text form contains {@code =}. */
    PADDING("padding"),
    /** The text form contains another character outside the alphabet. */
    BAD_CHARACTER("bad-character"),
    /** The number of characters or bytes is not that of the scheme. */
    BAD_LENGTH("bad-length"),
    /** A spare bit of the text form is 1. */
    SPARE_BITS("spare-bits"),
    /** Fingerprints of different schemes, another scheme than the expected one, or a wider one. */
    SCHEME_MISMATCH("scheme-mismatch"),
    /** The document exceeds a limit of this implementation. */
    OVER_LIMIT("over-limit");

    private final String id;

    Problem(String id) {
        this.id = id;
    }

    /**
     * Returns the name of the error in the specification.
     *
     * @return the name, such as {@code no-token}
     */
    public String id() {
        return id;
    }
}
