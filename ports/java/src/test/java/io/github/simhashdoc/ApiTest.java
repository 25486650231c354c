package io.github.simhashdoc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the vectors do not show: the interface of Java. */
class ApiTest {
    private static final Fingerprint ZERO = Fingerprint.parse("sd64:aaaaaaaaaaaaa");
    private static final Fingerprint SEVEN = Fingerprint.parse("sd64:aaaaaaaaaaaao");

    @Test
    void aFingerprintIsAValue() {
        Fingerprint custom = Fingerprint.of(SEVEN.toBytes(), Scheme.SD64, false);
        assertEquals("sd64+custom:aaaaaaaaaaaao", custom.toString());
        assertEquals(custom, Fingerprint.parse(custom.toString()));
        assertEquals(custom.hashCode(), Fingerprint.parse(custom.toString()).hashCode());
        assertFalse(custom.equals(SEVEN));
        assertEquals(3, ZERO.distance(custom));
        assertEquals(7, SEVEN.lane(0));
        SEVEN.toBytes()[0] = 1;
        assertEquals(7, SEVEN.lane(0));
    }

    @Test
    void narrowingReportsTheFirstError() {
        assertEquals("unknown-scheme", narrowed("sd65:=", "SD64"));
        assertEquals("unknown-scheme", narrowed("sd128:=", "sd64+custom"));
        assertEquals("unknown-scheme", narrowed("sd65:=", "sd128"));
        assertEquals("padding", narrowed("sd64:1=", "sd128"));
        assertEquals("bad-character", narrowed("sd64:1", "sd128"));
        assertEquals("bad-length", narrowed("aaaa", "sd128"));
        assertEquals("spare-bits", narrowed("aaaaaaaaaaaab", "sd128"));
        assertEquals("scheme-mismatch", narrowed("sd64+custom:aaaaaaaaaaaaa", "sd128"));
        // Not the first 13 characters.
        assertEquals("sd64:7777777777776", narrowed("7".repeat(25) + "Y", "sd64"));
    }

    private static Object narrowed(String text, String scheme) {
        Map<String, Object> answer =
                Operations.answer("narrow", Map.of("text", text, "scheme", scheme));
        return answer.getOrDefault("result", answer.get("error"));
    }

    @Test
    void anErrorHasItsNameAndSaysWhatIsWrong() {
        SimhashException error =
                assertThrows(SimhashException.class, () -> Fingerprint.parse("sd64:aaaaaaaaaaaa"));
        assertEquals(Problem.BAD_LENGTH, error.problem());
        assertEquals("bad-length: 12 characters instead of 13 for sd64", error.getMessage());
        error = assertThrows(SimhashException.class, () -> Fingerprint.parse("sd64:aa\u212Aa"));
        assertEquals(
                "bad-character: U+212A at position 2; the digits are a-z and 2-7",
                error.getMessage());
    }

    @Test
    void theResultsOfAnAccumulatorCanBeAskedForTwiceButThenItTakesNoMoreText() {
        Accumulator accumulator = new Accumulator().add("one ").add("two".getBytes());
        Fingerprint first = accumulator.fingerprint(Scheme.SD128);
        assertEquals(Simhash.fingerprint("one two", Scheme.SD128), first);
        assertEquals(first, accumulator.fingerprint(Scheme.SD128));
        assertArrayEquals(
                Simhash.buckets("one two", Scheme.SD64), accumulator.buckets(Scheme.SD64));
        assertThrows(IllegalStateException.class, () -> accumulator.add("three"));
        assertThrows(IllegalStateException.class, () -> accumulator.add(new byte[0]));
    }

    @Test
    void aTextWithoutTokensHasATraceButNoFingerprint() {
        Trace trace = Simhash.trace("2024 !", Scheme.SD64);
        assertEquals("2024 !", trace.prepared());
        assertEquals(List.of(), trace.tokens());
        assertNull(trace.fingerprint());
        SimhashException error =
                assertThrows(SimhashException.class, () -> Simhash.fingerprint("", Scheme.SD64));
        assertEquals(Problem.NO_TOKEN, error.problem());
    }

    @Test
    void anIndexAnswersInTheOrderOfItsEntries() {
        Index index = new Index(Scheme.SD64);
        index.add("b", SEVEN);
        index.add("a", ZERO);
        assertEquals(List.of("b", "a"), index.query(ZERO, 3));
        assertEquals(List.of("a"), index.query(ZERO, 2));
        assertEquals(List.of(new Index.Pair("b", "a")), index.pairs(3));
        assertThrows(IllegalArgumentException.class, () -> index.add("a", SEVEN));
        assertThrows(IllegalArgumentException.class, () -> index.query(ZERO, -1));
        Fingerprint wide = Simhash.fingerprint("one", Scheme.SD128);
        assertThrows(SimhashException.class, () -> index.query(wide, 3));
    }

    @Test
    void aRemovedEntryIsNotFoundAndCanBeAddedAgain() {
        Index index = new Index(Scheme.SD64);
        index.add("b", SEVEN);
        index.add("a", ZERO);
        index.add("c", ZERO);
        index.remove("b");
        assertEquals(Set.of("a", "c"), Set.copyOf(index.query(ZERO, 3)));
        assertThrows(IllegalArgumentException.class, () -> index.remove("b"));
        index.remove("c");
        index.remove("a");
        assertEquals(0, index.size());
        index.add("a", SEVEN);
        assertEquals(List.of("a"), index.query(SEVEN, 0));
    }

    @Test
    void theTablesAreThoseOfTheSpecification() throws IOException, GeneralSecurityException {
        byte[] sums = Files.readAllBytes(Repository.DATA.resolve("SHA256SUMS"));
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(sums);
        assertEquals(UnicodeData.DIGEST, String.format("%064x", new BigInteger(1, digest)));
        String notice = Files.readString(Repository.DATA.resolve("LICENSE-UNICODE.txt"));
        try (InputStream shipped =
                Simhash.class.getResourceAsStream("/META-INF/LICENSE-UNICODE.txt")) {
            assertEquals(notice, new String(shipped.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
