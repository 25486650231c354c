package io.github.simhashdoc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.Size;

/**
 * Properties of generated texts, in one piece and in several, as bytes and as characters, and of
 * text forms. {@code -Djqwik.tries.default=100000} generates more of them.
 */
class PropertiesTest {
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

    @Property
    void foldingTwiceChangesNothing(@ForAll("texts") String text) {
        String folded = Simhash.fold(text);
        assertEquals(folded, Simhash.fold(valid(text)));
        assertEquals(folded, Simhash.fold(folded));
        assertEquals(Simhash.tokens(folded), Simhash.tokens(text));
    }

    @Property
    void aTextInPiecesHasTheFingerprintOfTheCompleteText(
            @ForAll("texts") String text, @ForAll @Size(max = 6) List<Short> cuts) {
        String valid = valid(text);
        byte[] bytes = valid.getBytes(StandardCharsets.UTF_8);
        for (Scheme scheme : Scheme.values()) {
            String expected = result(characters(text, List.of()), scheme);
            assertEquals(expected, result(characters(Simhash.fold(text), cuts), scheme));
            assertEquals(expected, result(characters(text, cuts), scheme));
            assertEquals(expected, result(bytes(bytes, cuts), scheme));
        }
    }

    @Property
    void illFormedBytesGiveTheResultOfTheirReplacements(
            @ForAll("illFormed") byte[] bytes, @ForAll @Size(max = 6) List<Short> cuts) {
        String text = decoded(bytes);
        assertEquals(Simhash.fold(text), Simhash.fold(bytes));
        assertEquals(
                result(characters(text, cuts), Scheme.SD64),
                result(bytes(bytes, cuts), Scheme.SD64));
    }

    @Property
    void aFingerprintIsReadBackFromItsTextForm(
            @ForAll @Size(64) byte[] bytes, @ForAll Scheme scheme, @ForAll boolean canonical) {
        byte[] value = Arrays.copyOf(bytes, scheme.bits() / 8);
        Fingerprint fingerprint = Fingerprint.of(value, scheme, canonical);
        assertEquals(fingerprint, Fingerprint.parse(fingerprint.toString()));
        assertEquals(fingerprint, Fingerprint.parse(fingerprint.toString().toUpperCase(), scheme));
        assertArrayEquals(value, fingerprint.toBytes());
    }

    @Property
    void narrowingKeepsTheFirstBytes(
            @ForAll @Size(64) byte[] bytes,
            @ForAll Scheme wide,
            @ForAll Scheme narrow,
            @ForAll boolean canonical) {
        Fingerprint first =
                Fingerprint.of(Arrays.copyOf(bytes, narrow.bits() / 8), narrow, canonical);
        Fingerprint fingerprint =
                Fingerprint.of(Arrays.copyOf(bytes, wide.bits() / 8), wide, canonical);
        if (narrow.bits() <= wide.bits()) {
            assertEquals(first, fingerprint.narrow(narrow));
        } else {
            SimhashException error =
                    assertThrows(SimhashException.class, () -> fingerprint.narrow(narrow));
            assertEquals(Problem.SCHEME_MISMATCH, error.problem());
        }
    }

    @Property
    void anyStringIsReadOrRefusedWithANamedError(
            @ForAll("textForms") String text, @ForAll Scheme scheme) {
        try {
            String written = Fingerprint.parse(text, scheme).toString();
            assertTrue(written.endsWith(text.substring(text.indexOf(':') + 1).toLowerCase()));
        } catch (SimhashException e) {
            assertNotNull(e.problem());
        }
    }

    @Provide
    Arbitrary<String> textForms() {
        Arbitrary<String> prefixes = Arbitraries.of("", "sd64:", "SD64+Custom:", "sd128:", "sd65:");
        Arbitrary<String> digits =
                Arbitraries.strings().withChars("aeimq26A").ofMinLength(12).ofMaxLength(13);
        Arbitrary<String> zeros = Arbitraries.of(0, 13, 39, 90).map("a"::repeat);
        Arbitrary<String> faults = Arbitraries.of("", "", "", "b", "=", "1", "\u212A");
        return Combinators.combine(prefixes, zeros, digits, faults)
                .as((a, b, c, d) -> a + b + c + d);
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> fragments = Arbitraries.of(FRAGMENTS);
        Arbitrary<String> anything =
                Arbitraries.integers().between(0, 0x10FFFF).map(Character::toString);
        return Arbitraries.frequencyOf(Tuple.of(3, fragments), Tuple.of(1, anything))
                .list()
                .ofMaxSize(100)
                .map(parts -> String.join("", parts));
    }

    @Provide
    Arbitrary<byte[]> illFormed() {
        Arbitrary<Byte> borders =
                Arbitraries.of(
                                0x41, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4,
                                0x8F, 0xFF)
                        .map(Integer::byteValue);
        return Arbitraries.oneOf(borders, Arbitraries.bytes()).array(byte[].class).ofMaxSize(20);
    }

    private static String result(Accumulator accumulator, Scheme scheme) {
        try {
            return accumulator.fingerprint(scheme).toString();
        } catch (SimhashException e) {
            return e.problem().id();
        }
    }

    /** The text with U+FFFD for surrogates without a partner. */
    private static String valid(String text) {
        StringBuilder valid = new StringBuilder();
        text.codePoints()
                .map(c -> c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c)
                .forEach(valid::appendCodePoint);
        return valid.toString();
    }

    private static Accumulator characters(String text, List<Short> cuts) {
        Accumulator accumulator = new Accumulator();
        int[] ends = ends(text.length(), cuts);
        for (int i = 1; i < ends.length; i++) {
            accumulator.add(text.substring(ends[i - 1], ends[i]));
        }
        return accumulator;
    }

    private static Accumulator bytes(byte[] bytes, List<Short> cuts) {
        Accumulator accumulator = new Accumulator();
        int[] ends = ends(bytes.length, cuts);
        for (int i = 1; i < ends.length; i++) {
            accumulator.add(bytes, ends[i - 1], ends[i] - ends[i - 1]);
        }
        return accumulator;
    }

    /** Where pieces end, from 0 to the length. */
    private static int[] ends(int length, List<Short> cuts) {
        IntStream inside = cuts.stream().mapToInt(cut -> Math.floorMod(cut, length + 1));
        return IntStream.concat(IntStream.of(0, length), inside).sorted().toArray();
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
