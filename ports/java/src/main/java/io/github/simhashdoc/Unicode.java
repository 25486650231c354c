package io.github.simhashdoc;

import java.util.Arrays;

/** The properties of code points, from {@link UnicodeData}. */
final class Unicode {
    /** A code point of a word. */
    static final int WORD = 1;

    /** An Alphabetic code point. */
    static final int ALPHABETIC = 2;

    /** A code point of a script without spaces between words. */
    static final int CONTINUA = 4;

    /** A code point of General_Category Pc. */
    static final int CONNECTOR = 8;

    private static final int SECOND = 16;
    private static final int ASSIGNED = 32;

    /** The folding of a code point that stays and is not involved in normalization. */
    static final int INERT = 0;

    /** The folding of a code point that stays, and may have to be normalized. */
    static final int ITSELF = 1;

    /** The folding of a code point with mapping 0; the others follow. */
    private static final int FIRST_MAPPING = 2;

    static final int CODE_POINTS = 0x110000;
    private static final int NONE = -1;

    private static final Sequences DECOMPOSITIONS = new Sequences(UnicodeData.DECOMPOSITION);
    private static final Sequences MAPPINGS = new Sequences(UnicodeData.FOLDING);
    private static final Composites COMPOSITES =
            new Composites(new Sequences(UnicodeData.COMPOSITION));

    private static final Trie PROPERTIES = properties();
    private static final Trie CLASSES = classes();
    private static final Trie FOLDINGS = foldings();
    private static final boolean[] INERT_MAPPING = inertMappings();

    private Unicode() {}

    /** Returns the flags of a code point: {@link #WORD} and the following. */
    static int properties(int c) {
        return PROPERTIES.get(c);
    }

    static int combiningClass(int c) {
        return CLASSES.get(c);
    }

    /** Returns {@link #INERT}, {@link #ITSELF}, or the folding of a mapping. */
    static int folding(int c) {
        return FOLDINGS.get(c);
    }

    static boolean isMapping(int folding) {
        return folding >= FIRST_MAPPING;
    }

    static int mappingFrom(int folding) {
        return MAPPINGS.from(folding - FIRST_MAPPING);
    }

    static int mappingTo(int folding) {
        return MAPPINGS.to(folding - FIRST_MAPPING);
    }

    static int mapped(int index) {
        return MAPPINGS.point(index);
    }

    /** Returns true if all code points of a mapping are inert. */
    static boolean isInertMapping(int folding) {
        return INERT_MAPPING[folding - FIRST_MAPPING];
    }

    /** Returns the number of a code point's decomposition, or -1; not for Hangul syllables. */
    static int decomposition(int c) {
        return DECOMPOSITIONS.number(c);
    }

    static int decompositionFrom(int number) {
        return DECOMPOSITIONS.from(number);
    }

    static int decompositionTo(int number) {
        return DECOMPOSITIONS.to(number);
    }

    static int decomposed(int index) {
        return DECOMPOSITIONS.point(index);
    }

    /** Returns the composite of two code points, or -1. */
    static int compose(int b, int c) {
        return (PROPERTIES.get(c) & SECOND) == 0 ? NONE : COMPOSITES.of(b, c);
    }

    private static Trie properties() {
        char[] flat = new char[CODE_POINTS];
        mark(flat, UnicodeData.WORD, WORD);
        mark(flat, UnicodeData.ALPHABETIC, ALPHABETIC);
        mark(flat, UnicodeData.CONTINUA, CONTINUA);
        mark(flat, UnicodeData.CONNECTOR, CONNECTOR);
        mark(flat, UnicodeData.ASSIGNED, ASSIGNED);
        for (int c = 0; c < CODE_POINTS; c++) {
            if (COMPOSITES.isSecond(c)) {
                flat[c] |= SECOND;
            }
        }
        return new Trie(flat);
    }

    private static void mark(char[] flat, String table, int flag) {
        Numbers in = new Numbers(table);
        int end = 0;
        while (in.hasNext()) {
            int first = end + in.next();
            end = first + in.next();
            for (int c = first; c < end; c++) {
                flat[c] |= (char) flag;
            }
        }
    }

    private static Trie classes() {
        char[] flat = new char[CODE_POINTS];
        Numbers in = new Numbers(UnicodeData.CLASSES);
        int end = 0;
        while (in.hasNext()) {
            int first = end + in.next();
            end = first + in.next();
            Arrays.fill(flat, first, end, (char) in.next());
        }
        return new Trie(flat);
    }

    private static Trie foldings() {
        int replacement = MAPPINGS.add(0xFFFD);
        char[] flat = new char[CODE_POINTS];
        for (int c = 0; c < CODE_POINTS; c++) {
            boolean assigned = (PROPERTIES.get(c) & ASSIGNED) != 0;
            int mapping = MAPPINGS.number(c) < 0 && !assigned ? replacement : MAPPINGS.number(c);
            int itself = isInert(c) ? INERT : ITSELF;
            flat[c] = (char) (mapping < 0 ? itself : FIRST_MAPPING + mapping);
        }
        return new Trie(flat);
    }

    /** Returns true for a starter that is its own NFC and composes with nothing before it. */
    private static boolean isInert(int c) {
        boolean stable = DECOMPOSITIONS.number(c) < 0 || COMPOSITES.isComposite(c);
        return stable && CLASSES.get(c) == 0 && (PROPERTIES.get(c) & SECOND) == 0;
    }

    private static boolean[] inertMappings() {
        boolean[] inert = new boolean[MAPPINGS.count()];
        for (int number = 0; number < inert.length; number++) {
            inert[number] = true;
            for (int i = MAPPINGS.from(number); i < MAPPINGS.to(number); i++) {
                inert[number] &= isInert(MAPPINGS.point(i));
            }
        }
        return inert;
    }
}
