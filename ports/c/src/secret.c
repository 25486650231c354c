#define _DEFAULT_SOURCE /* getentropy of glibc */
#define _CRT_RAND_S     /* rand_s of Windows */
#include "secret.h"

#include <stdlib.h>
#include <time.h>

#if defined(__APPLE__)
#include <sys/random.h>
#elif !defined(_WIN32)
#include <unistd.h>
#endif

static int from_system(uint64_t *numbers, size_t count) {
#if defined(_WIN32)
    for (size_t i = 0; i < count; i++) {
        unsigned low, high;
        if (rand_s(&low) || rand_s(&high)) return -1;
        numbers[i] = (uint64_t)high << 32 | low;
    }
    return 0;
#else
    return getentropy(numbers, count * sizeof *numbers);
#endif
}

void sdoc_secret(uint64_t *numbers, size_t count) {
    if (from_system(numbers, count) == 0) return;
    /* The system has no entropy: addresses and the time are better than constants. */
    uint64_t state = (uint64_t)(uintptr_t)numbers ^ (uint64_t)time(NULL) << 32 ^ (uint64_t)clock();
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        numbers[i] = state ^ state >> 29;
    }
}
