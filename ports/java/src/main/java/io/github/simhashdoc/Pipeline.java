package io.github.simhashdoc;

/** From pieces of a text to its tokens: reads, folds and cuts them (sections 3 to 6). */
final class Pipeline {
    private static final int PIECE = 8192;

    private final Folder folder = new Folder();
    private final Cutter cutter;
    private byte[] encoded;
    private char high;
    private boolean finished;

    Pipeline(TokenSink sink) {
        cutter = new Cutter(sink);
    }

    void add(byte[] bytes, int from, int to) {
        checkOpen();
        for (int at = from; at < to; at += PIECE) {
            folder.add(bytes, at, Math.min(PIECE, to - at) + at);
            cutter.cut(folder.text(), folder.decided(), false);
            int needed = cutter.needed();
            if (needed > folder.decided() / 2) {
                folder.discard(needed);
                cutter.discarded(needed);
            }
        }
    }

    void add(CharSequence text) {
        checkOpen();
        if (encoded == null) {
            encoded = new byte[PIECE];
        }
        int size = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (size > PIECE - 2 * Utf8.LONGEST) {
                add(encoded, 0, size);
                size = 0;
            }
            if (c < 0x80 && high == 0) {
                encoded[size++] = (byte) c;
            } else {
                size = encode(c, size);
            }
        }
        add(encoded, 0, size);
    }

    private void checkOpen() {
        if (finished) {
            throw new IllegalStateException("no text can be added after the first result");
        }
    }

    /** Encodes a UTF-16 unit; a high surrogate waits for the next one (SD-INPUT-3). */
    private int encode(char c, int size) {
        int end = size;
        if (high != 0) {
            char first = high;
            high = 0;
            if (Character.isLowSurrogate(c)) {
                return Utf8.encode(Character.toCodePoint(first, c), encoded, end);
            }
            end = Utf8.encode(0xFFFD, encoded, end);
        }
        if (Character.isHighSurrogate(c)) {
            high = c;
            return end;
        }
        return Utf8.encode(Character.isLowSurrogate(c) ? 0xFFFD : c, encoded, end);
    }

    /** Ends the text; all tokens have been taken then. */
    void finish() {
        if (finished) {
            return;
        }
        if (high != 0) {
            byte[] replacement = new byte[Utf8.LONGEST];
            add(replacement, 0, Utf8.encode(0xFFFD, replacement, 0));
        }
        finished = true;
        folder.finish();
        cutter.cut(folder.text(), folder.decided(), true);
    }
}
