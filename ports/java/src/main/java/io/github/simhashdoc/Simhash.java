package io.github.simhashdoc;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Fingerprints of texts, and the steps that lead to them.
 *
 * <p>Texts are strings, in which surrogates without a partner count as U+FFFD, or bytes, which are
 * read as UTF-8 whose ill-formed parts count as U+FFFD.
 */
public final class Simhash {
    private Simhash() {}

    /**
     * Computes the fingerprint of a text.
     *
     * @param text the text
     * @param scheme the scheme
     * @return the canonical fingerprint
     * @throws SimhashException {@link Problem#NO_TOKEN} if the text contains no token
     */
    public static Fingerprint fingerprint(CharSequence text, Scheme scheme) {
        return new Accumulator().add(text).fingerprint(scheme);
    }

    /**
     * Computes the fingerprint of a text in UTF-8.
     *
     * @param text the bytes of the text
     * @param scheme the scheme
     * @return the canonical fingerprint
     * @throws SimhashException {@link Problem#NO_TOKEN} if the text contains no token
     */
    public static Fingerprint fingerprint(byte[] text, Scheme scheme) {
        return new Accumulator().add(text).fingerprint(scheme);
    }

    /**
     * Computes the buckets of a text.
     *
     * @param text the text
     * @param scheme the scheme
     * @return the buckets, from -127 to 127, lane by lane, bit 0 first
     * @throws SimhashException {@link Problem#NO_TOKEN} if the text contains no token
     */
    public static byte[] buckets(CharSequence text, Scheme scheme) {
        return new Accumulator().add(text).buckets(scheme);
    }

    /**
     * Computes the buckets of a text in UTF-8.
     *
     * @param text the bytes of the text
     * @param scheme the scheme
     * @return the buckets, from -127 to 127, lane by lane, bit 0 first
     * @throws SimhashException {@link Problem#NO_TOKEN} if the text contains no token
     */
    public static byte[] buckets(byte[] text, Scheme scheme) {
        return new Accumulator().add(text).buckets(scheme);
    }

    /**
     * Folds a text (section 4).
     *
     * @param text the text
     * @return the folded text
     */
    public static String fold(CharSequence text) {
        return fold(utf8(text));
    }

    /**
     * Folds a text in UTF-8 (section 4).
     *
     * @param text the bytes of the text
     * @return the folded text
     */
    public static String fold(byte[] text) {
        Folder folder = new Folder();
        folder.add(text, 0, text.length);
        folder.finish();
        return string(folder.text(), 0, folder.decided());
    }

    /**
     * Replaces the links of a folded text by spaces (section 5).
     *
     * @param folded a folded text
     * @return the link-free text
     */
    public static String removeLinks(String folded) {
        byte[] text = utf8(folded);
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length);
        int at = 0;
        while (at < text.length) {
            boolean border = at == 0 || !Links.isWord(text, at - 1, text.length);
            int end = border && Links.isWord(text, at, text.length) ? Links.end(text, at) : at;
            out.write(end == at ? text[at] : ' ');
            at = Math.max(at + 1, end);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /**
     * Returns the tokens of a text, before the cap (section 6).
     *
     * @param text the text
     * @return the tokens in the order of the text, each as often as it occurs
     */
    public static List<String> tokens(CharSequence text) {
        return tokens(utf8(text));
    }

    /**
     * Returns the tokens of a text in UTF-8, before the cap (section 6).
     *
     * @param text the bytes of the text
     * @return the tokens in the order of the text, each as often as it occurs
     */
    public static List<String> tokens(byte[] text) {
        List<String> tokens = new ArrayList<>();
        Pipeline pipeline =
                new Pipeline((buffer, from, to) -> tokens.add(string(buffer, from, to)));
        pipeline.add(text, 0, text.length);
        pipeline.finish();
        return tokens;
    }

    /**
     * Returns the hash of a token (section 7).
     *
     * @param token the token
     * @param scheme the scheme
     * @return one hash for each lane
     */
    public static long[] hash(String token, Scheme scheme) {
        byte[] bytes = utf8(token);
        long[] hashes = new long[scheme.lanes()];
        for (int lane = 0; lane < hashes.length; lane++) {
            hashes[lane] = XxHash64.hash(bytes, 0, bytes.length, lane);
        }
        return hashes;
    }

    /**
     * Returns the results of all steps.
     *
     * @param text the text
     * @param scheme the scheme
     * @return the results, without buckets and fingerprint if the text contains no token
     */
    public static Trace trace(CharSequence text, Scheme scheme) {
        return trace(utf8(text), scheme);
    }

    /**
     * Returns the results of all steps for a text in UTF-8.
     *
     * @param text the bytes of the text
     * @param scheme the scheme
     * @return the results, without buckets and fingerprint if the text contains no token
     */
    public static Trace trace(byte[] text, Scheme scheme) {
        String folded = fold(text);
        List<String> tokens = tokens(text);
        List<long[]> hashes = new ArrayList<>();
        for (String token : tokens) {
            hashes.add(hash(token, scheme));
        }
        byte[] buckets = tokens.isEmpty() ? null : buckets(text, scheme);
        Fingerprint fingerprint = buckets == null ? null : sign(buckets, scheme);
        return new Trace(folded, removeLinks(folded), tokens, hashes, buckets, fingerprint);
    }

    private static String string(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    /** The fingerprint of buckets (SD-SIGN-1). */
    static Fingerprint sign(byte[] buckets, Scheme scheme) {
        long[] lanes = new long[scheme.lanes()];
        for (int i = 0; i < buckets.length; i++) {
            if (buckets[i] > 0) {
                lanes[i / Long.SIZE] |= 1L << i % Long.SIZE;
            }
        }
        return new Fingerprint(scheme, lanes, true);
    }

    /** The text in UTF-8, with U+FFFD for surrogates without a partner (SD-INPUT-3). */
    private static byte[] utf8(CharSequence text) {
        StringBuilder valid = new StringBuilder(text);
        for (int i = 0; i < valid.length(); i++) {
            if (Character.isSurrogate(valid.charAt(i))) {
                if (i + 1 < valid.length()
                        && Character.isSurrogatePair(valid.charAt(i), valid.charAt(i + 1))) {
                    i++;
                } else {
                    valid.setCharAt(i, '\uFFFD');
                }
            }
        }
        return valid.toString().getBytes(StandardCharsets.UTF_8);
    }
}
