package io.github.simhashdoc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Compares with {@link SlowSimhash} on random texts, in one piece and in several, as bytes and as
 * characters. {@code -Dsimhashdoc.seconds=600} runs it for longer, {@code -Dsimhashdoc.seed=N}
 * again.
 */
class DifferentialTest {
    private static final long SECONDS = Long.getLong("simhashdoc.seconds", 3);
    private static final long SEED = Long.getLong("simhashdoc.seed", System.nanoTime());

    /** Fragments of links, marks at every border of a run, and characters with unusual foldings. */
    private static final List<String> FRAGMENTS =
            List.of(
                    "http://",
                    "www.",
                    "mailto:",
                    "a@b.cd",
                    "@",
                    ".",
                    "10.1234/x",
                    "10.",
                    "doi:",
                    "urn:",
                    "123e4567-e89b-12d3-a456-426614174000",
                    "d41d8cd98f00b204e9800998ecf8427e",
                    "-",
                    "_",
                    "/",
                    ":",
                    " ",
                    "\n",
                    "x",
                    "abc",
                    "Word",
                    "word word",
                    "2024",
                    "東京",
                    "ไทย",
                    "カ",
                    "ー",
                    "\u3007",
                    "\u0301",
                    "\u0316",
                    "\u0301".repeat(15),
                    "\u0301".repeat(29),
                    "\u0345",
                    "\u0344",
                    "\u00AD",
                    "\uFDFA",
                    "ﬁ",
                    "ß",
                    "Å",
                    "\u0958",
                    "\u2ADC",
                    "\u1EA5",
                    "\u0323",
                    "\u1100",
                    "\u1161",
                    "\u11A8",
                    "가",
                    "각",
                    "\u09C7",
                    "\u09BE",
                    "\u0DDC",
                    "\u0DCF",
                    "\u0DCA",
                    "\u203F",
                    "\uFE33",
                    "\uFF3F",
                    "\uD834\uDD5E",
                    "\uD800",
                    "\uDC00",
                    "\uFFFF",
                    "\uFEFF");

    @Test
    void everyFormOfATextGivesTheResultOfTheSlowVersion() {
        long end = System.nanoTime() + SECONDS * 1_000_000_000L;
        Random random = new Random(SEED);
        for (int round = 0; System.nanoTime() < end; round++) {
            String text = text(random);
            String message = "seed " + SEED + ", round " + round + ": " + Json.write(text);
            String valid = valid(text);
            assertEquals(SlowSimhash.fold(valid), Simhash.fold(text), message);
            assertEquals(SlowSimhash.tokens(valid), Simhash.tokens(text), message);
            for (Scheme scheme : Scheme.values()) {
                String expected = SlowSimhash.fingerprint(valid, scheme.lanes());
                assertEquals(expected, result(characters(text, random), scheme), message);
                byte[] bytes = valid.getBytes(StandardCharsets.UTF_8);
                assertEquals(expected, result(bytes(bytes, random), scheme), message);
            }
        }
    }

    @Test
    void illFormedBytesGiveTheResultOfTheirReplacements() {
        long end = System.nanoTime() + SECONDS * 300_000_000L;
        Random random = new Random(SEED);
        int[] likely = {
            0x41, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF
        };
        for (int round = 0; System.nanoTime() < end; round++) {
            byte[] bytes = new byte[random.nextInt(20)];
            for (int i = 0; i < bytes.length; i++) {
                int any = random.nextInt(256);
                bytes[i] = (byte) (random.nextBoolean() ? any : likely[any % likely.length]);
            }
            String message = "seed " + SEED + ", round " + round + ": " + Arrays.toString(bytes);
            String text = decoded(bytes);
            assertEquals(SlowSimhash.fold(text), Simhash.fold(bytes), message);
            String expected = SlowSimhash.fingerprint(text, 1);
            assertEquals(expected, result(bytes(bytes, random), Scheme.SD64), message);
        }
    }

    private static String result(Accumulator accumulator, Scheme scheme) {
        try {
            return accumulator.fingerprint(scheme).toString();
        } catch (SimhashException e) {
            return e.problem().id();
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int parts = 1 << random.nextInt(9);
        for (int i = 0; i < parts; i++) {
            if (random.nextInt(4) > 0) {
                text.append(FRAGMENTS.get(random.nextInt(FRAGMENTS.size())));
            } else {
                text.appendCodePoint(random.nextInt(1 << (8 + random.nextInt(10))));
            }
        }
        return text.toString();
    }

    /** The text with U+FFFD for surrogates without a partner. */
    private static String valid(String text) {
        StringBuilder valid = new StringBuilder();
        text.codePoints()
                .map(c -> c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c)
                .forEach(valid::appendCodePoint);
        return valid.toString();
    }

    private static Accumulator characters(String text, Random random) {
        Accumulator accumulator = new Accumulator();
        int at = 0;
        while (at < text.length()) {
            int end = Math.min(text.length(), at + random.nextInt(1 << random.nextInt(12)));
            accumulator.add(text.substring(at, end));
            at = end;
        }
        return accumulator;
    }

    private static Accumulator bytes(byte[] bytes, Random random) {
        Accumulator accumulator = new Accumulator();
        int at = 0;
        while (at < bytes.length) {
            int length = Math.min(bytes.length - at, random.nextInt(1 << random.nextInt(12)));
            accumulator.add(bytes, at, length);
            at += length;
        }
        return accumulator;
    }

    /** Decodes by trying every well-formed sequence, with the longest prefix of one as a part. */
    private static String decoded(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < bytes.length) {
            int length = 1;
            for (int n = 2; n <= 4 && at + n <= bytes.length; n++) {
                if (isPrefix(Arrays.copyOfRange(bytes, at, at + n))) {
                    length = n;
                }
            }
            String part = new String(bytes, at, length, StandardCharsets.UTF_8);
            boolean valid =
                    Arrays.equals(
                            part.getBytes(StandardCharsets.UTF_8),
                            Arrays.copyOfRange(bytes, at, at + length));
            text.append(valid ? part : "\uFFFD");
            at += length;
        }
        return text.toString();
    }

    /** Whether bytes begin the UTF-8 form of a scalar value. */
    private static boolean isPrefix(byte[] bytes) {
        List<byte[]> completed = new ArrayList<>(List.of(bytes));
        for (int length = bytes.length; length < 4; length++) {
            for (int next : new int[] {0x80, 0x90, 0x9F, 0xBF}) {
                byte[] longer = Arrays.copyOf(bytes, length + 1);
                Arrays.fill(longer, bytes.length, length + 1, (byte) next);
                completed.add(longer);
            }
        }
        for (byte[] candidate : completed) {
            String text = new String(candidate, StandardCharsets.UTF_8);
            if (text.codePointCount(0, text.length()) == 1
                    && Arrays.equals(text.getBytes(StandardCharsets.UTF_8), candidate)) {
                return true;
            }
        }
        return false;
    }
}
