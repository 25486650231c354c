package io.github.simhashdoc;

import java.util.Arrays;

/** A table from code points to sequences of code points. Sequences have numbers from 0. */
final class Sequences {
    private final Trie numbers;
    private int[] ends = new int[64];
    private int count;
    private int[] points = new int[64];

    /** Reads a table of {@link UnicodeData}. */
    Sequences(String table) {
        char[] flat = new char[Unicode.CODE_POINTS];
        Numbers in = new Numbers(table);
        int end = 0;
        while (in.hasNext()) {
            int first = end + in.next();
            end = first + in.next();
            int[] sequence = new int[in.next()];
            int before = first;
            for (int i = 0; i < sequence.length; i++) {
                before += in.nextSigned();
                sequence[i] = before;
            }
            Arrays.fill(flat, first, end, (char) (add(sequence) + 1));
        }
        numbers = new Trie(flat);
    }

    /** Adds a sequence and returns its number. */
    int add(int... sequence) {
        int from = count == 0 ? 0 : ends[count - 1];
        int to = from + sequence.length;
        points = Arrays.copyOf(points, Math.max(points.length, Integer.highestOneBit(to) * 2));
        System.arraycopy(sequence, 0, points, from, sequence.length);
        ends = Arrays.copyOf(ends, Math.max(ends.length, Integer.highestOneBit(count + 1) * 2));
        ends[count] = to;
        return count++;
    }

    /** Returns the number of the sequence of a code point, or -1. */
    int number(int c) {
        return numbers.get(c) - 1;
    }

    int count() {
        return count;
    }

    /** Returns the index of the first code point of a sequence. */
    int from(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    /** Returns the index behind the last code point of a sequence. */
    int to(int number) {
        return ends[number];
    }

    int point(int index) {
        return points[index];
    }
}
