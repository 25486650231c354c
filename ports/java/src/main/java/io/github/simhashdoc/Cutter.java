package io.github.simhashdoc;

/**
 * Cuts folded text into tokens, piece by piece (sections 5 and 6). Its positions are those of the
 * folder's buffer.
 */
final class Cutter {
    private static final int NONE = -1;
    private static final byte[] ASCII = asciiProperties();

    private final TokenSink sink;
    private int at;
    private boolean afterWord;
    private int link = Links.ENDED;

    /** The start of a stretch outside scriptio continua, and the properties of its characters. */
    private int stretch = NONE;

    private int properties;

    /** The last character of a stretch of scriptio continua, and whether it is in a bigram. */
    private int continua = NONE;

    private int continuaProperties;
    private boolean paired;

    Cutter(TokenSink sink) {
        this.sink = sink;
    }

    /** The properties of the ASCII characters in folded text, where capitals do not occur. */
    private static byte[] asciiProperties() {
        byte[] properties = new byte[128];
        for (int c = 0; c < properties.length; c++) {
            boolean separates = c >= 'A' && c <= 'Z' || (Unicode.properties(c) & Unicode.WORD) == 0;
            properties[c] = (byte) (separates ? 0 : Unicode.properties(c));
        }
        return properties;
    }

    /** The position before which the text is not needed any more. */
    int needed() {
        return stretch != NONE ? stretch : continua != NONE ? continua : at;
    }

    /** The text before a position is gone, and what follows moved to the beginning. */
    void discarded(int before) {
        at -= before;
        stretch = stretch == NONE ? NONE : stretch - before;
        continua = continua == NONE ? NONE : continua - before;
    }

    /** Cuts as far as the text from 0 to {@code end} decides; the last call has all of it. */
    void cut(byte[] text, int end, boolean last) {
        int limit = last ? end : end - Links.LOOKAHEAD;
        while (at < limit) {
            if (link != Links.ENDED) {
                continueLink(text, end);
            } else if (text[at] < 0) {
                other(text);
            } else if (ASCII[text[at]] != 0) {
                asciiWord(text, end);
            } else {
                endStretch(text, at);
                afterWord = false;
                at++;
            }
        }
        if (last) {
            endStretch(text, at);
        }
    }

    private void continueLink(byte[] text, int end) {
        int from = at;
        at = link == Links.TAIL ? Links.tail(text, at, end) : Links.label(text, at, end);
        if (at > from) {
            afterWord = Links.isWord(text, at - 1, end);
        }
        if (link == Links.TAIL ? at < end : at == from) {
            link = Links.ENDED;
        }
    }

    private void asciiWord(byte[] text, int end) {
        int start = at;
        int next = start;
        int found = 0;
        int character;
        while (next < end && text[next] >= 0 && (character = ASCII[text[next]]) != 0) {
            found |= character;
            next++;
        }
        if (!afterWord && Links.possible(text, start, next, end)) {
            long match = Links.match(text, start, end);
            if (match != Links.NO_LINK) {
                endStretch(text, start);
                at = (int) (match >> 2);
                link = (int) match & 3;
                afterWord = Links.isWord(text, at - 1, end);
                return;
            }
        }
        if (stretch == NONE) {
            endContinua(text, start);
            stretch = start;
            properties = 0;
        }
        properties |= found;
        afterWord = true;
        at = next;
    }

    private void other(byte[] text) {
        int c = Utf8.decode(text, at);
        int found = Unicode.properties(c);
        int next = at + Utf8.length(c);
        if ((found & Unicode.WORD) == 0) {
            endStretch(text, at);
        } else if ((found & Unicode.CONTINUA) != 0) {
            continua(text, next, found);
        } else {
            if (stretch == NONE) {
                endContinua(text, at);
                stretch = at;
                properties = 0;
            }
            properties |= found;
        }
        afterWord = false;
        at = next;
    }

    private void continua(byte[] text, int next, int found) {
        if (continua == NONE) {
            endStretch(text, at);
            paired = false;
        } else {
            if (((continuaProperties | found) & Unicode.ALPHABETIC) != 0) {
                sink.token(text, continua, next);
            }
            paired = true;
        }
        continua = at;
        continuaProperties = found;
    }

    private void endContinua(byte[] text, int end) {
        if (continua != NONE) {
            if (!paired && (continuaProperties & Unicode.ALPHABETIC) != 0) {
                sink.token(text, continua, end);
            }
            continua = NONE;
        }
    }

    private void endStretch(byte[] text, int end) {
        if (stretch == NONE) {
            endContinua(text, end);
            return;
        }
        if ((properties & Unicode.ALPHABETIC) != 0) {
            if ((properties & Unicode.CONNECTOR) == 0) {
                sink.token(text, stretch, end);
            } else {
                trimmed(text, stretch, end);
            }
        }
        stretch = NONE;
    }

    /** A token without the connectors at its ends. */
    private void trimmed(byte[] text, int start, int end) {
        int from = start;
        while (isConnector(text, from)) {
            from += Utf8.length(Utf8.decode(text, from));
        }
        int to = end;
        while (isConnector(text, Utf8.before(text, to))) {
            to = Utf8.before(text, to);
        }
        sink.token(text, from, to);
    }

    private static boolean isConnector(byte[] text, int at) {
        return (Unicode.properties(Utf8.decode(text, at)) & Unicode.CONNECTOR) != 0;
    }
}
