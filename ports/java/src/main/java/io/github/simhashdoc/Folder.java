package io.github.simhashdoc;

import java.util.Arrays;

/**
 * Reads UTF-8 piece by piece and folds it (sections 3 and 4). The folded text is in {@link #text}
 * from 0 to {@link #decided()}.
 *
 * <p>A code point is <em>inert</em> if it is a starter, is its own NFC, and composes with nothing
 * before it. Inert code points are copied. Between two of them, the code points go through {@link
 * #normalize}, which keeps one starter and its marks.
 */
final class Folder {
    private static final int REPLACEMENT = 0xFFFD;
    private static final int MOST_MARKS = 30;
    private static final int NONE = -1;
    private static final byte[] LOWER = lowerCase();

    private byte[] text = new byte[1024];
    private int size;

    /** Whether the last code point of the text may still compose with what follows. */
    private boolean open;

    private final byte[] incomplete = new byte[Utf8.LONGEST];
    private int incompleteSize;

    private boolean normalizing;
    private int starter = NONE;
    private final int[] marks = new int[MOST_MARKS];
    private int markCount;

    private static byte[] lowerCase() {
        byte[] lower = new byte[128];
        for (int c = 0; c < lower.length; c++) {
            lower[c] = (byte) (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        }
        return lower;
    }

    /** The buffer of the folded text; it changes with each piece. */
    byte[] text() {
        return text;
    }

    /** The end of the folded text that no later piece changes. */
    int decided() {
        return open ? Utf8.before(text, size) : size;
    }

    /** Forgets the folded text before a position; what follows moves to the beginning. */
    void discard(int before) {
        System.arraycopy(text, before, text, 0, size - before);
        size -= before;
    }

    void add(byte[] bytes, int from, int to) {
        int at = from;
        while (incompleteSize > 0 && at < to) {
            incomplete[incompleteSize] = bytes[at++];
            int length = Utf8.sequence(incomplete, 0, incompleteSize + 1);
            if (length > 0) {
                scalar(Utf8.decode(incomplete, 0));
                incompleteSize = 0;
            } else if (length < 0) {
                scalar(REPLACEMENT);
                incompleteSize = 0;
                at--;
            } else {
                incompleteSize++;
            }
        }
        while (at < to) {
            if (bytes[at] >= 0) {
                at = ascii(bytes, at, to);
                continue;
            }
            int length = Utf8.sequence(bytes, at, to);
            if (length == 0) {
                incompleteSize = to - at;
                System.arraycopy(bytes, at, incomplete, 0, incompleteSize);
                return;
            }
            scalar(length > 0 ? Utf8.decode(bytes, at) : REPLACEMENT);
            at += Math.abs(length);
        }
    }

    /** Ends the text. */
    void finish() {
        if (incompleteSize > 0) {
            scalar(REPLACEMENT);
            incompleteSize = 0;
        }
        endNormalizing();
        open = false;
    }

    private int ascii(byte[] bytes, int from, int to) {
        endNormalizing();
        reserve(to - from);
        byte[] out = text;
        int shift = size - from;
        int at = from;
        do {
            out[at + shift] = LOWER[bytes[at]];
            at++;
        } while (at < to && bytes[at] >= 0);
        size = at + shift;
        open = true;
        return at;
    }

    private void scalar(int c) {
        int folding = Unicode.folding(c);
        if (folding == Unicode.INERT) {
            endNormalizing();
            put(c);
            open = true;
        } else if (Unicode.isMapping(folding)) {
            mapping(folding);
        } else {
            decompose(c);
        }
    }

    private void mapping(int folding) {
        int from = Unicode.mappingFrom(folding);
        int to = Unicode.mappingTo(folding);
        if (from == to) {
            return;
        }
        boolean inert = Unicode.isInertMapping(folding);
        if (inert) {
            endNormalizing();
            open = true;
        }
        for (int i = from; i < to; i++) {
            int c = Unicode.mapped(i);
            if (inert) {
                put(c);
            } else {
                decompose(c);
            }
        }
    }

    private void decompose(int c) {
        if (!normalizing) {
            normalizing = true;
            if (open) {
                open = false;
                int last = Utf8.before(text, size);
                int before = Utf8.decode(text, last);
                size = last;
                decomposed(before);
            }
        }
        decomposed(c);
    }

    private void decomposed(int c) {
        if (Hangul.isSyllable(c)) {
            for (int jamo : Hangul.decompose(c)) {
                normalize(jamo);
            }
            return;
        }
        int number = Unicode.decomposition(c);
        if (number < 0) {
            normalize(c);
            return;
        }
        int to = Unicode.decompositionTo(number);
        for (int i = Unicode.decompositionFrom(number); i < to; i++) {
            normalize(Unicode.decomposed(i));
        }
    }

    /** Takes a code point of the NFD, and keeps it until it composes with nothing that follows. */
    private void normalize(int c) {
        if (Unicode.combiningClass(c) != 0) {
            if (markCount < MOST_MARKS) {
                marks[markCount] = c;
            }
            markCount = Math.min(markCount + 1, MOST_MARKS + 1);
            return;
        }
        combine();
        int composite = markCount == 0 && starter != NONE ? Unicode.compose(starter, c) : NONE;
        if (composite != NONE) {
            starter = composite;
        } else {
            putNormalized();
            starter = c;
        }
    }

    /** Orders the marks, and composes them with the starter. */
    private void combine() {
        if (markCount > MOST_MARKS) {
            markCount = 0;
            putNormalized();
            starter = REPLACEMENT;
            return;
        }
        sortMarks();
        int kept = 0;
        int lastClass = 0;
        for (int i = 0; i < markCount; i++) {
            int combiningClass = Unicode.combiningClass(marks[i]);
            boolean blocked = starter == NONE || lastClass >= combiningClass;
            int composite = blocked ? NONE : Unicode.compose(starter, marks[i]);
            if (composite != NONE) {
                starter = composite;
            } else {
                marks[kept++] = marks[i];
                lastClass = combiningClass;
            }
        }
        markCount = kept;
    }

    /** Insertion sort by class: stable, and there are at most 30. */
    private void sortMarks() {
        for (int i = 1; i < markCount; i++) {
            int mark = marks[i];
            int combiningClass = Unicode.combiningClass(mark);
            int j = i;
            for (; j > 0 && Unicode.combiningClass(marks[j - 1]) > combiningClass; j--) {
                marks[j] = marks[j - 1];
            }
            marks[j] = mark;
        }
    }

    private void putNormalized() {
        if (starter != NONE) {
            put(starter);
            starter = NONE;
        }
        for (int i = 0; i < markCount; i++) {
            put(marks[i]);
        }
        markCount = 0;
    }

    private void endNormalizing() {
        if (normalizing) {
            combine();
            putNormalized();
            normalizing = false;
        }
    }

    private void put(int c) {
        reserve(Utf8.LONGEST);
        size = Utf8.encode(c, text, size);
    }

    private void reserve(int more) {
        if (text.length - size - TokenSink.SLACK < more) {
            text =
                    Arrays.copyOf(
                            text, Limits.grown(text.length, (long) size + TokenSink.SLACK + more));
        }
    }
}
