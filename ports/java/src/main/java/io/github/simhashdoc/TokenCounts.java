package io.github.simhashdoc;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Counts distinct tokens up to the cap, and computes their buckets (sections 7 and 8).
 *
 * <p>The hash table multiplies with keys that are secret and random for each process, so nobody can
 * choose tokens that collide. Equal bytes decide, not equal hashes.
 */
final class TokenCounts implements TokenSink {
    private static final int CAP = 8;
    private static final int MOST = 127;
    private static final long[] KEYS = new SecureRandom().longs(3).map(k -> k | 1).toArray();

    private int[] slots = new int[512];
    private int count;
    private int[] hashes = new int[256];
    private long[] heads = new long[256];
    private int[] starts = new int[257];
    private byte[] counts = new byte[256];
    private byte[] bytes = new byte[4096];

    @Override
    public void token(byte[] buffer, int from, int to) {
        long head = head(buffer, from, to);
        int hash = hash(head, buffer, from, to);
        int mask = slots.length - 1;
        for (int slot = hash & mask; ; slot = slot + 1 & mask) {
            int entry = slots[slot] - 1;
            if (entry < 0) {
                slots[slot] = count + 1;
                insert(hash, head, buffer, from, to);
                return;
            }
            if (hashes[entry] == hash && heads[entry] == head && equal(entry, buffer, from, to)) {
                if (counts[entry] < CAP) {
                    counts[entry]++;
                }
                return;
            }
        }
    }

    private boolean equal(int entry, byte[] buffer, int from, int to) {
        int start = starts[entry];
        int length = to - from;
        return starts[entry + 1] - start == length
                && (length <= Long.BYTES
                        || Arrays.equals(bytes, start, start + length, buffer, from, to));
    }

    private void insert(int hash, long head, byte[] buffer, int from, int to) {
        int start = starts[count];
        int length = to - from;
        if (bytes.length - start < length) {
            bytes = Arrays.copyOf(bytes, Limits.grown(bytes.length, (long) start + length));
        }
        System.arraycopy(buffer, from, bytes, start, length);
        hashes[count] = hash;
        heads[count] = head;
        starts[count + 1] = start + length;
        counts[count] = 1;
        count++;
        if (count == heads.length) {
            grow();
        }
    }

    private void grow() {
        int size = Limits.grown(count, count + 1L);
        hashes = Arrays.copyOf(hashes, size);
        heads = Arrays.copyOf(heads, size);
        starts = Arrays.copyOf(starts, Limits.grown(size, size + 1L));
        counts = Arrays.copyOf(counts, size);
        slots = new int[Limits.grown(slots.length, 2L * slots.length)];
        int mask = slots.length - 1;
        for (int entry = 0; entry < count; entry++) {
            int slot = hashes[entry] & mask;
            while (slots[slot] != 0) {
                slot = slot + 1 & mask;
            }
            slots[slot] = entry + 1;
        }
    }

    /** The first eight bytes, or all with zeros behind them. */
    private static long head(byte[] buffer, int from, int to) {
        long head = XxHash64.longAt(buffer, from);
        int length = to - from;
        return length < Long.BYTES ? head & (1L << length * Byte.SIZE) - 1 : head;
    }

    private static int hash(long head, byte[] buffer, int from, int to) {
        int length = to - from;
        long hash = fold(head ^ KEYS[0], length ^ KEYS[1]);
        if (length > Long.BYTES) {
            for (int at = from + Long.BYTES; at < to - Long.BYTES; at += Long.BYTES) {
                hash = fold(hash ^ XxHash64.longAt(buffer, at), KEYS[2]);
            }
            hash = fold(hash ^ XxHash64.longAt(buffer, to - Long.BYTES), KEYS[1]);
        }
        return (int) (hash >>> 32);
    }

    private static long fold(long a, long b) {
        return Math.multiplyHigh(a, b) ^ a * b;
    }

    /** The buckets of a scheme, lane by lane. */
    byte[] buckets(Scheme scheme) {
        if (count == 0) {
            throw new SimhashException(
                    Problem.NO_TOKEN, "the text has no word, so it has no fingerprint");
        }
        byte[] buckets = new byte[scheme.bits()];
        for (int lane = 0; lane < scheme.lanes(); lane++) {
            BitSums sums = new BitSums();
            for (int entry = 0; entry < count; entry++) {
                long hash = XxHash64.hash(bytes, starts[entry], starts[entry + 1], lane);
                sums.add(hash, counts[entry]);
            }
            for (int bit = 0; bit < Long.SIZE; bit++) {
                long sum = Math.max(-MOST, Math.min(MOST, sums.of(bit)));
                buckets[lane * Long.SIZE + bit] = (byte) sum;
            }
        }
        return buckets;
    }
}
