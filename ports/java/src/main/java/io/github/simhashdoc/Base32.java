package io.github.simhashdoc;

/** Base32 in lower case and without padding (SD-TEXT-1 to SD-TEXT-3). */
final class Base32 {
    private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int BITS_OF_DIGIT = 5;

    private Base32() {}

    static void encode(long[] lanes, StringBuilder out) {
        int bits = lanes.length * Long.SIZE;
        for (int first = 0; first < bits; first += BITS_OF_DIGIT) {
            int digit = 0;
            for (int bit = first; bit < first + BITS_OF_DIGIT; bit++) {
                digit = 2 * digit + (bit < bits ? bit(lanes, bit) : 0);
            }
            out.append(DIGITS.charAt(digit));
        }
    }

    /** Bit {@code number} of a fingerprint, counted from the most significant bit of lane 0. */
    private static int bit(long[] lanes, int number) {
        return (int) (lanes[number / Long.SIZE] >>> (Long.SIZE - 1 - number % Long.SIZE)) & 1;
    }

    /**
     * Decodes the digits of a text form, whose scheme is known or follows from their number.
     *
     * @param scheme the scheme, or null
     */
    static long[] decode(String digits, Scheme scheme) {
        if (digits.indexOf('=') >= 0) {
            throw new SimhashException(
                    Problem.PADDING, "text forms have no padding, but here is a \"=\"");
        }
        for (int i = 0; i < digits.length(); i++) {
            if (valueOf(digits.charAt(i)) < 0) {
                String where = String.format("U+%04X at position %d", digits.codePointAt(i), i);
                throw new SimhashException(
                        Problem.BAD_CHARACTER, where + "; the digits are a-z and 2-7");
            }
        }
        Scheme known = scheme != null ? scheme : Scheme.ofCharacters(digits.length());
        if (known == null || known.characters() != digits.length()) {
            String right =
                    known == null ? "13, 26, 52 or 103" : known.characters() + " for " + known.id();
            throw new SimhashException(
                    Problem.BAD_LENGTH, digits.length() + " characters instead of " + right);
        }
        long[] lanes = new long[known.lanes()];
        for (int i = 0; i < digits.length(); i++) {
            int value = valueOf(digits.charAt(i));
            for (int j = 0; j < BITS_OF_DIGIT; j++) {
                int bit = i * BITS_OF_DIGIT + j;
                long one = value >>> (BITS_OF_DIGIT - 1 - j) & 1;
                if (bit < known.bits()) {
                    lanes[bit / Long.SIZE] |= one << (Long.SIZE - 1 - bit % Long.SIZE);
                } else if (one != 0) {
                    throw new SimhashException(
                            Problem.SPARE_BITS, "a spare bit of the last character is 1");
                }
            }
        }
        return lanes;
    }

    private static int valueOf(char c) {
        return DIGITS.indexOf(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
}
