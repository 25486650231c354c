package io.github.simhashdoc;

/**
 * Reads the numbers of a table in {@link UnicodeData}: five bits to a character, the least
 * significant first; a digit of 32 or more continues the number.
 */
final class Numbers {
    private static final int BITS = 5;
    private static final int MORE = 1 << BITS;

    private final String table;
    private int at;

    Numbers(String table) {
        this.table = table;
    }

    boolean hasNext() {
        return at < table.length();
    }

    int next() {
        int value = 0;
        for (int shift = 0; ; shift += BITS) {
            int digit = digit(table.charAt(at++));
            value |= digit % MORE << shift;
            if (digit < MORE) {
                return value;
            }
        }
    }

    /** Reads a number whose lowest bit is the sign: 0, -1, 1, -2, 2 and so on. */
    int nextSigned() {
        int value = next();
        return value % 2 == 0 ? value / 2 : -(value + 1) / 2;
    }

    private static int digit(char c) {
        if (c >= 'a') {
            return c - 'a' + 36;
        }
        if (c >= 'A') {
            return c - 'A' + 10;
        }
        return c >= '0' ? c - '0' : c == '+' ? 62 : 63;
    }
}
