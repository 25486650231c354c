package io.github.simhashdoc;

import java.util.HashMap;
import java.util.Map;

/** A value for each code point, in blocks. Equal blocks are stored once. */
final class Trie {
    private static final int BITS = 7;
    private static final int BLOCK = 1 << BITS;

    private final char[] index;
    private final char[] values;

    /** Takes the values of all code points. */
    Trie(char[] flat) {
        index = new char[flat.length / BLOCK];
        Map<String, Integer> blocks = new HashMap<>();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < index.length; i++) {
            String block = new String(flat, i * BLOCK, BLOCK);
            Integer known = blocks.putIfAbsent(block, blocks.size());
            if (known == null) {
                known = blocks.size() - 1;
                all.append(block);
            }
            index[i] = (char) (int) known;
        }
        values = all.toString().toCharArray();
    }

    int get(int c) {
        return values[(index[c >> BITS] << BITS) + (c & (BLOCK - 1))];
    }
}
