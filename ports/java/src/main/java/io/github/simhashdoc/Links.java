package io.github.simhashdoc;

/** The grammar of links (section 5), on folded text in UTF-8. */
final class Links {
    /** So many bytes from a position on decide whether a link starts there. */
    static final int LOOKAHEAD = 137;

    /** A link that has ended. */
    static final int ENDED = 0;

    /** A link that continues with {@code *tail}. */
    static final int TAIL = 1;

    /** A link that continues with {@code *( "." label )}. */
    static final int LABELS = 2;

    /** The result if no link starts at a position. */
    static final long NO_LINK = -1;

    private static final int LABEL = 63;

    private static final int ALPHA = 1;
    private static final int DIGIT = 2;
    private static final int HEX = 4;
    private static final int UNDERSCORE = 8;
    private static final int IN_TAIL = 16;
    private static final int IN_SCHEME = 32;
    private static final int IN_LABEL = 64;
    private static final int IN_MAILBOX = 128;
    private static final int AFTER_WORD = 256;
    private static final int WORD = ALPHA | DIGIT | UNDERSCORE;

    private static final short[] CLASS = classes();

    private Links() {}

    private static short[] classes() {
        short[] classes = new short[256];
        String letters = "abcdefghijklmnopqrstuvwxyz";
        String digits = "0123456789";
        mark(classes, letters, ALPHA);
        mark(classes, digits, DIGIT);
        mark(classes, "abcdef" + digits, HEX);
        mark(classes, "_", UNDERSCORE);
        mark(classes, letters + digits + "._~:/?#[]@!$&'()*+,;=%-", IN_TAIL);
        mark(classes, letters + digits + "+.-", IN_SCHEME);
        mark(classes, letters + digits + "-", IN_LABEL);
        mark(classes, letters + digits + "._%+-", IN_MAILBOX);
        mark(classes, "+.-:@%", AFTER_WORD);
        return classes;
    }

    private static void mark(short[] classes, String characters, int flag) {
        for (int i = 0; i < characters.length(); i++) {
            classes[characters.charAt(i)] |= (short) flag;
        }
    }

    private static boolean is(byte[] text, int at, int end, int classes) {
        return at < end && (CLASS[text[at] & 0xFF] & classes) != 0;
    }

    /** Whether an ASCII word character is at a position. */
    static boolean isWord(byte[] text, int at, int end) {
        return is(text, at, end, WORD);
    }

    /**
     * Whether a link may start with the ASCII word characters from {@code start} to {@code
     * wordEnd}. Every form but the digest has one of a few characters behind them.
     */
    static boolean possible(byte[] text, int start, int wordEnd, int end) {
        return wordEnd - start >= 32 || is(text, wordEnd, end, AFTER_WORD);
    }

    /**
     * Tries the forms at a position where a link can start.
     *
     * @return {@link #NO_LINK}, or four times the position up to which the link is decided, plus
     *     how it continues
     */
    static long match(byte[] text, int at, int end) {
        int next = url(text, at, end);
        if (next < 0) {
            next = named(text, at, end);
        }
        if (next < 0) {
            next = www(text, at, end);
        }
        if (next >= 0) {
            return decided(next, TAIL);
        }
        next = mail(text, at, end);
        if (next >= 0) {
            return decided(next, LABELS);
        }
        next = doi(text, at, end);
        if (next >= 0) {
            return decided(next, TAIL);
        }
        next = uuid(text, at, end);
        if (next < 0) {
            next = digest(text, at, end);
        }
        return next < 0 ? NO_LINK : decided(next, ENDED);
    }

    private static long decided(int next, int how) {
        return 4L * next + how;
    }

    /** The end of {@code *tail}. */
    static int tail(byte[] text, int at, int end) {
        int next = at;
        while (is(text, next, end, IN_TAIL)) {
            next++;
        }
        return next;
    }

    /** The end of {@code [ "." label ]}. */
    static int label(byte[] text, int at, int end) {
        if (!starts(text, at, end, ".") || !is(text, at + 1, end, IN_LABEL)) {
            return at;
        }
        return run(text, at + 1, end, LABEL, IN_LABEL);
    }

    /**
     * The end of the link that starts at a position of a complete text; the position if none does.
     */
    static int end(byte[] text, int at) {
        long match = match(text, at, text.length);
        if (match == NO_LINK) {
            return at;
        }
        int end = (int) (match >> 2);
        switch ((int) match & 3) {
            case TAIL:
                return tail(text, end, text.length);
            case LABELS:
                for (int next = label(text, end, text.length); next > end; ) {
                    end = next;
                    next = label(text, end, text.length);
                }
                return end;
            default:
                return end;
        }
    }

    private static int url(byte[] text, int at, int end) {
        if (!is(text, at, end, ALPHA)) {
            return -1;
        }
        int next = run(text, at + 1, end, 31, IN_SCHEME);
        return starts(text, next, end, "://") ? next + 3 : -1;
    }

    private static int named(byte[] text, int at, int end) {
        int colon = run(text, at, end, 5, ALPHA);
        boolean found =
                starts(text, at, end, "doi:")
                        || starts(text, at, end, "urn:")
                        || starts(text, at, end, "hdl:")
                        || starts(text, at, end, "arxiv:");
        return found && is(text, colon + 1, end, ALPHA | DIGIT) ? colon + 2 : -1;
    }

    private static int www(byte[] text, int at, int end) {
        if (!starts(text, at, end, "www.") || !is(text, at + 4, end, IN_LABEL)) {
            return -1;
        }
        int next = run(text, at + 4, end, LABEL, IN_LABEL);
        return starts(text, next, end, ".") ? next + 1 : -1;
    }

    private static int mail(byte[] text, int at, int end) {
        int first = starts(text, at, end, "mailto:") ? at + 7 : at;
        if (!is(text, first, end, ALPHA | DIGIT)) {
            return -1;
        }
        int sign = run(text, first + 1, end, 63, IN_MAILBOX);
        if (!starts(text, sign, end, "@") || !is(text, sign + 1, end, IN_LABEL)) {
            return -1;
        }
        int dot = run(text, sign + 1, end, LABEL, IN_LABEL);
        return starts(text, dot, end, ".") && is(text, dot + 1, end, IN_LABEL) ? dot : -1;
    }

    private static int doi(byte[] text, int at, int end) {
        if (!starts(text, at, end, "10.")) {
            return -1;
        }
        int next = run(text, at + 3, end, 9, DIGIT);
        if (next - at < 7) {
            return -1;
        }
        for (int i = 0;
                i < 3 && starts(text, next, end, ".") && is(text, next + 1, end, DIGIT);
                i++) {
            next = run(text, next + 1, end, 9, DIGIT);
        }
        return starts(text, next, end, "/") && is(text, next + 1, end, IN_TAIL) ? next + 2 : -1;
    }

    private static int uuid(byte[] text, int at, int end) {
        int next = at;
        for (int digits : new int[] {8, 4, 4, 4, 12}) {
            if (next > at) {
                if (!starts(text, next, end, "-")) {
                    return -1;
                }
                next++;
            }
            int group = run(text, next, end, digits, HEX);
            if (group - next < digits) {
                return -1;
            }
            next = group;
        }
        return isWord(text, next, end) ? -1 : next;
    }

    private static int digest(byte[] text, int at, int end) {
        int next = run(text, at, end, 128, HEX);
        return next - at < 32 || isWord(text, next, end) ? -1 : next;
    }

    /** The end of at most {@code most} characters of some classes. */
    private static int run(byte[] text, int at, int end, int most, int classes) {
        int limit = Math.min(end - at, most) + at;
        int next = at;
        while (next < limit && (CLASS[text[next] & 0xFF] & classes) != 0) {
            next++;
        }
        return next;
    }

    private static boolean starts(byte[] text, int at, int end, String literal) {
        if (end - at < literal.length()) {
            return false;
        }
        for (int i = 0; i < literal.length(); i++) {
            if (text[at + i] != literal.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
