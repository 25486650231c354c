package io.github.simhashdoc;

/** Takes tokens, each as a part of a buffer of UTF-8 that changes afterwards. */
interface TokenSink {
    /** At least so many bytes of the buffer are readable behind a token. */
    int SLACK = Long.BYTES;

    void token(byte[] buffer, int from, int to);
}
