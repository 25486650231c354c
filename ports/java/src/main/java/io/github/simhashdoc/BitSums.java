package io.github.simhashdoc;

/**
 * The sum of each bit of weighted hashes (SD-SUM-1).
 *
 * <p>The ones of each bit are counted in binary, all bits at once: bit i of {@code ones[p]} is bit
 * p of the count of bit i.
 */
final class BitSums {
    private final long[] ones = new long[Long.SIZE];

    /** Hashes of weight 1 that are not added yet. */
    private final long[] waiting = new long[8];

    private int waitingCount;
    private long total;

    /** Adds a hash with its weight, which is at least 1. */
    void add(long hash, int weight) {
        total += weight;
        for (int place = 1; weight >> place != 0; place++) {
            if ((weight >> place & 1) != 0) {
                addAt(place, hash);
            }
        }
        if ((weight & 1) != 0) {
            waiting[waitingCount++] = hash;
            if (waitingCount == waiting.length) {
                addEight(waiting);
                waitingCount = 0;
            }
        }
    }

    /** Returns the weights of the hashes with a 1 at a bit less those of the others. */
    long of(int bit) {
        while (waitingCount > 0) {
            addAt(0, waiting[--waitingCount]);
        }
        long count = 0;
        int places = Long.SIZE - Long.numberOfLeadingZeros(total);
        for (int place = 0; place < places; place++) {
            count |= (ones[place] >>> bit & 1) << place;
        }
        return 2 * count - total;
    }

    private void addAt(int place, long hash) {
        long carry = hash;
        for (int i = place; carry != 0; i++) {
            long both = ones[i] & carry;
            ones[i] ^= carry;
            carry = both;
        }
    }

    /** Adds eight hashes, which takes fewer operations than one after the other. */
    private void addEight(long[] h) {
        long first = ones[0];
        long twos1 = carry(first, h[0], h[1]);
        first ^= h[0] ^ h[1];
        long twos2 = carry(first, h[2], h[3]);
        first ^= h[2] ^ h[3];
        long twos3 = carry(first, h[4], h[5]);
        first ^= h[4] ^ h[5];
        long twos4 = carry(first, h[6], h[7]);
        ones[0] = first ^ h[6] ^ h[7];
        long second = ones[1];
        long fours1 = carry(second, twos1, twos2);
        second ^= twos1 ^ twos2;
        long fours2 = carry(second, twos3, twos4);
        ones[1] = second ^ twos3 ^ twos4;
        long eights = carry(ones[2], fours1, fours2);
        ones[2] ^= fours1 ^ fours2;
        addAt(3, eights);
    }

    /** Returns the bits that at least two of three numbers have. */
    private static long carry(long a, long b, long c) {
        return a & b | (a | b) & c;
    }
}
