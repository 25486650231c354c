package io.github.simhashdoc;

import java.util.BitSet;

/** The pairs of code points that compose (appendix C), in a hash table. */
final class Composites {
    private static final int SLOT_BITS = 12;
    private static final int SLOTS = 1 << SLOT_BITS;
    private static final int NONE = -1;

    private final long[] pairs = new long[SLOTS];
    private final int[] composites = new int[SLOTS];
    private final BitSet all = new BitSet();
    private final BitSet seconds = new BitSet();

    Composites(Sequences table) {
        for (int c = 0; c < Unicode.CODE_POINTS; c++) {
            int number = table.number(c);
            if (number >= 0) {
                int from = table.from(number);
                put(table.point(from), table.point(from + 1), c);
            }
        }
    }

    private void put(int b, int c, int composite) {
        int slot = slot(pair(b, c));
        pairs[slot] = pair(b, c);
        composites[slot] = composite;
        all.set(composite);
        seconds.set(c);
    }

    private static long pair(int b, int c) {
        return (long) b << Integer.SIZE | c;
    }

    /** The slot of a pair, or the free one where it belongs. */
    private int slot(long pair) {
        int slot = (int) (pair * 0x9E3779B97F4A7C15L >>> (Long.SIZE - SLOT_BITS));
        while (pairs[slot] != 0 && pairs[slot] != pair) {
            slot = (slot + 1) % SLOTS;
        }
        return slot;
    }

    /** Returns the composite of two code points, or -1. */
    int of(int b, int c) {
        int syllable = Hangul.compose(b, c);
        if (syllable >= 0) {
            return syllable;
        }
        int slot = slot(pair(b, c));
        return pairs[slot] == 0 ? NONE : composites[slot];
    }

    boolean isComposite(int c) {
        return all.get(c);
    }

    /** Returns true if a code point may compose with one before it. */
    boolean isSecond(int c) {
        return seconds.get(c) || Hangul.isSecond(c);
    }
}
