package io.github.simhashdoc;

/** The limit of this implementation: no array has more elements than Java allows. */
final class Limits {
    private static final int LARGEST = Integer.MAX_VALUE - 8;

    private Limits() {}

    /** A larger size for an array that needs so many elements. */
    static int grown(int size, long needed) {
        if (needed > LARGEST) {
            throw new SimhashException(
                    Problem.OVER_LIMIT,
                    "the distinct tokens, or one token or run of characters, have more than 2 GB");
        }
        return (int) Math.min(LARGEST, Math.max(2L * size, needed));
    }
}
