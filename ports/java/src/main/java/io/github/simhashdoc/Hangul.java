package io.github.simhashdoc;

/** Hangul syllables, which are computed (appendix C). */
final class Hangul {
    private static final int SYLLABLE = 0xAC00;
    private static final int SYLLABLES = 11172;
    private static final int LEADING = 0x1100;
    private static final int LEADINGS = 19;
    private static final int VOWEL = 0x1161;
    private static final int VOWELS = 21;
    private static final int TRAILING = 0x11A7;
    private static final int TRAILINGS = 28;

    private Hangul() {}

    static boolean isSyllable(int c) {
        return c >= SYLLABLE && c < SYLLABLE + SYLLABLES;
    }

    /** Whether a code point may compose with one before it. */
    static boolean isSecond(int c) {
        return isVowel(c) || isTrailing(c);
    }

    private static boolean isVowel(int c) {
        return c >= VOWEL && c < VOWEL + VOWELS;
    }

    private static boolean isTrailing(int c) {
        return c > TRAILING && c < TRAILING + TRAILINGS;
    }

    static int[] decompose(int c) {
        int s = c - SYLLABLE;
        int leading = LEADING + s / (VOWELS * TRAILINGS);
        int vowel = VOWEL + s % (VOWELS * TRAILINGS) / TRAILINGS;
        int trailing = s % TRAILINGS;
        return trailing == 0
                ? new int[] {leading, vowel}
                : new int[] {leading, vowel, TRAILING + trailing};
    }

    /** The composite of two code points, or -1. */
    static int compose(int b, int c) {
        if (b >= LEADING && b < LEADING + LEADINGS && isVowel(c)) {
            return SYLLABLE + ((b - LEADING) * VOWELS + (c - VOWEL)) * TRAILINGS;
        }
        if (isSyllable(b) && (b - SYLLABLE) % TRAILINGS == 0 && isTrailing(c)) {
            return b + (c - TRAILING);
        }
        return -1;
    }
}
