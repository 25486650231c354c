#include "xxh64.h"

static const uint64_t P1 = UINT64_C(0x9E3779B185EBCA87), P2 = UINT64_C(0xC2B2AE3D27D4EB4F),
                      P3 = UINT64_C(0x165667B19E3779F9), P4 = UINT64_C(0x85EBCA77C2B2AE63),
                      P5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t rotl(uint64_t x, int r) {
    return x << r | x >> (64 - r);
}

static uint64_t next(uint64_t acc, uint64_t x) {
    return rotl(acc + x * P2, 31) * P1;
}

static uint64_t merge(uint64_t acc, uint64_t v) {
    return (acc ^ next(0, v)) * P1 + P4;
}

uint64_t sdoc_xxh64(const uint8_t *bytes, size_t size, uint64_t seed) {
    const uint8_t *end = bytes + size;
    uint64_t acc = seed + P5;
    if (size >= 32) {
        uint64_t v1 = seed + P1 + P2, v2 = seed + P2, v3 = seed, v4 = seed - P1;
        for (; end - bytes >= 32; bytes += 32) {
            v1 = next(v1, sdoc_read64(bytes));
            v2 = next(v2, sdoc_read64(bytes + 8));
            v3 = next(v3, sdoc_read64(bytes + 16));
            v4 = next(v4, sdoc_read64(bytes + 24));
        }
        acc = rotl(v1, 1) + rotl(v2, 7) + rotl(v3, 12) + rotl(v4, 18);
        acc = merge(merge(merge(merge(acc, v1), v2), v3), v4);
    }
    acc += size;
    for (; end - bytes >= 8; bytes += 8) acc = rotl(acc ^ next(0, sdoc_read64(bytes)), 27) * P1 + P4;
    if (end - bytes >= 4) {
        acc = rotl(acc ^ sdoc_read32(bytes) * P1, 23) * P2 + P3;
        bytes += 4;
    }
    for (; bytes < end; bytes++) acc = rotl(acc ^ *bytes * P5, 11) * P1;
    acc = (acc ^ acc >> 33) * P2;
    acc = (acc ^ acc >> 29) * P3;
    return acc ^ acc >> 32;
}
