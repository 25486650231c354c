package io.github.simhashdoc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** XXH64 (appendix A). */
final class XxHash64 {
    private static final long P1 = 0x9E3779B185EBCA87L;
    private static final long P2 = 0xC2B2AE3D27D4EB4FL;
    private static final long P3 = 0x165667B19E3779F9L;
    private static final long P4 = 0x85EBCA77C2B2AE63L;
    private static final long P5 = 0x27D4EB2F165667C5L;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private XxHash64() {}

    static long hash(byte[] bytes, int from, int to, long seed) {
        int at = from;
        long acc = seed + P5;
        if (to - from >= 32) {
            long v1 = seed + P1 + P2;
            long v2 = seed + P2;
            long v3 = seed;
            long v4 = seed - P1;
            for (; to - at >= 32; at += 32) {
                v1 = round(v1, longAt(bytes, at));
                v2 = round(v2, longAt(bytes, at + 8));
                v3 = round(v3, longAt(bytes, at + 16));
                v4 = round(v4, longAt(bytes, at + 24));
            }
            acc = Long.rotateLeft(v1, 1) + Long.rotateLeft(v2, 7);
            acc += Long.rotateLeft(v3, 12) + Long.rotateLeft(v4, 18);
            acc = merge(merge(merge(merge(acc, v1), v2), v3), v4);
        }
        acc += to - from;
        for (; to - at >= Long.BYTES; at += Long.BYTES) {
            acc = Long.rotateLeft(acc ^ round(0, longAt(bytes, at)), 27) * P1 + P4;
        }
        if (to - at >= Integer.BYTES) {
            acc =
                    Long.rotateLeft(acc ^ ((int) INTS.get(bytes, at) & 0xFFFFFFFFL) * P1, 23) * P2
                            + P3;
            at += Integer.BYTES;
        }
        for (; at < to; at++) {
            acc = Long.rotateLeft(acc ^ (bytes[at] & 0xFF) * P5, 11) * P1;
        }
        acc = (acc ^ acc >>> 33) * P2;
        acc = (acc ^ acc >>> 29) * P3;
        return acc ^ acc >>> 32;
    }

    /** The eight bytes at a position as a little-endian integer. */
    static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    private static long round(long acc, long x) {
        return Long.rotateLeft(acc + x * P2, 31) * P1;
    }

    private static long merge(long acc, long v) {
        return (acc ^ round(0, v)) * P1 + P4;
    }
}
