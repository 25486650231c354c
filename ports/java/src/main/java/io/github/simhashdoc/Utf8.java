package io.github.simhashdoc;

/** Code points in UTF-8 (section 3). */
final class Utf8 {
    static final int LONGEST = 4;

    private Utf8() {}

    /**
     * The number of bytes of the sequence at a position: positive if it is well-formed, negative
     * for an ill-formed part, and 0 if the bytes end before that is decided.
     */
    static int sequence(byte[] bytes, int at, int end) {
        int lead = bytes[at] & 0xFF;
        if (lead < 0x80) {
            return 1;
        }
        if (lead < 0xC2 || lead > 0xF4) {
            return -1;
        }
        int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        for (int i = 1; i < length; i++) {
            if (at + i == end) {
                return 0;
            }
            int next = bytes[at + i] & 0xFF;
            if (next < (i == 1 ? lowest(lead) : 0x80) || next > (i == 1 ? highest(lead) : 0xBF)) {
                return -i;
            }
        }
        return length;
    }

    private static int lowest(int lead) {
        return lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    }

    private static int highest(int lead) {
        return lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    }

    /** The code point of a well-formed sequence. */
    static int decode(byte[] bytes, int at) {
        int lead = bytes[at];
        if (lead >= 0) {
            return lead;
        }
        int second = bytes[at + 1] & 0x3F;
        if ((lead & 0xE0) == 0xC0) {
            return (lead & 0x1F) << 6 | second;
        }
        int third = bytes[at + 2] & 0x3F;
        if ((lead & 0xF0) == 0xE0) {
            return (lead & 0xF) << 12 | second << 6 | third;
        }
        return (lead & 0x7) << 18 | second << 12 | third << 6 | bytes[at + 3] & 0x3F;
    }

    /** The number of bytes of a scalar value. */
    static int length(int scalar) {
        return scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4;
    }

    /** Writes a scalar value and returns the position behind it. */
    static int encode(int scalar, byte[] out, int at) {
        int length = length(scalar);
        if (length == 1) {
            out[at] = (byte) scalar;
            return at + 1;
        }
        int rest = scalar;
        for (int i = length - 1; i > 0; i--) {
            out[at + i] = (byte) (0x80 | rest & 0x3F);
            rest >>= 6;
        }
        out[at] = (byte) (0xF00 >> length | rest);
        return at + length;
    }

    /** The position of the code point that ends at {@code end}. */
    static int before(byte[] bytes, int end) {
        int at = end - 1;
        while ((bytes[at] & 0xC0) == 0x80) {
            at--;
        }
        return at;
    }
}
