package io.github.simhashdoc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The specification clause by clause, without regard to time and memory: each step takes the
 * complete result of the one before it. It reads the tables of the specification and shares no code
 * with the library.
 */
final class SlowSimhash {
    private static final BitSet WORD = set("word.txt", "");
    private static final BitSet CONNECTOR = set("word.txt", "Pc");
    private static final BitSet ALPHABETIC = set("alphabetic.txt", "");
    private static final BitSet CONTINUA = set("continua.txt", "");
    private static final BitSet ASSIGNED = set("assigned.txt", "");
    private static final BitSet NONSTARTER = set("nonstarter.txt", "");
    private static final Map<Integer, String> CLASSES = table("combining_class.txt");
    private static final Map<Integer, String> FOLDING = table("nfkc_casefold.txt");
    private static final Map<Integer, String> DECOMPOSITION = table("decomposition.txt");
    private static final Map<String, Integer> COMPOSITION = composition();
    private static final Pattern LINK = link();

    private SlowSimhash() {}

    private static Map<Integer, String> table(String name) {
        try {
            Map<Integer, String> table = new HashMap<>();
            for (String line : Files.readAllLines(Repository.DATA.resolve(name))) {
                if (!line.startsWith("#")) {
                    String[] parts = line.split(" ; ?", -1);
                    String[] range = parts[0].split("\\.\\.");
                    int last = Integer.parseInt(range[range.length - 1], 16);
                    for (int c = Integer.parseInt(range[0], 16); c <= last; c++) {
                        table.put(c, parts.length > 1 ? parts[1] : "");
                    }
                }
            }
            return table;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BitSet set(String name, String value) {
        BitSet set = new BitSet();
        table(name).forEach((c, v) -> set.set(c, value.isEmpty() || v.equals(value)));
        return set;
    }

    private static Map<String, Integer> composition() {
        Map<String, Integer> pairs = new HashMap<>();
        table("composition.txt").forEach((composite, pair) -> pairs.put(pair, composite));
        return pairs;
    }

    /** The expression of appendix B, with the borders for Java. */
    private static Pattern link() {
        try {
            for (String line :
                    Files.readAllLines(Repository.SPECIFICATION.resolve("simhash-doc.md"))) {
                if (line.startsWith("\\b(?:[a-z]")) {
                    String rest = line.substring(2).replace("\\b", "(?![a-z0-9_])");
                    return Pattern.compile("(?<![a-z0-9_])" + rest);
                }
            }
            throw new IllegalStateException("no expression in appendix B");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Integer> points(String hex) {
        List<Integer> points = new ArrayList<>();
        for (String point : hex.isEmpty() ? new String[0] : hex.split(" ")) {
            points.add(Integer.parseInt(point, 16));
        }
        return points;
    }

    private static String string(List<Integer> points) {
        StringBuilder out = new StringBuilder();
        points.forEach(out::appendCodePoint);
        return out.toString();
    }

    static String fold(String text) {
        List<Integer> mapped = new ArrayList<>();
        for (int c : text.codePoints().toArray()) {
            if (FOLDING.containsKey(c)) {
                mapped.addAll(points(FOLDING.get(c)));
            } else {
                mapped.add(ASSIGNED.get(c) ? c : 0xFFFD);
            }
        }
        List<Integer> decomposed = new ArrayList<>();
        for (int c : mapped) {
            decomposed.addAll(nfd(List.of(c)));
        }
        return string(nfc(bounded(decomposed)));
    }

    private static List<Integer> bounded(List<Integer> points) {
        List<Integer> bounded = new ArrayList<>();
        int at = 0;
        while (at < points.size()) {
            int end = at;
            while (end < points.size() && NONSTARTER.get(points.get(end))) {
                end++;
            }
            if (end - at > 30) {
                bounded.add(0xFFFD);
            } else {
                end = Math.max(end, at + 1);
                bounded.addAll(points.subList(at, end));
            }
            at = end;
        }
        return bounded;
    }

    private static int combiningClass(int c) {
        return Integer.parseInt(CLASSES.getOrDefault(c, "0"));
    }

    private static List<Integer> nfd(List<Integer> text) {
        List<Integer> points = new ArrayList<>();
        for (int c : text) {
            int s = c - 0xAC00;
            if (DECOMPOSITION.containsKey(c)) {
                points.addAll(points(DECOMPOSITION.get(c)));
            } else if (s >= 0 && s <= 11171) {
                points.addAll(List.of(0x1100 + s / 588, 0x1161 + s % 588 / 28));
                if (s % 28 != 0) {
                    points.add(0x11A7 + s % 28);
                }
            } else {
                points.add(c);
            }
        }
        int at = 0;
        while (at < points.size()) {
            int end = at;
            while (end < points.size() && combiningClass(points.get(end)) != 0) {
                end++;
            }
            points.subList(at, end).sort(Comparator.comparingInt(SlowSimhash::combiningClass));
            at = end + 1;
        }
        return points;
    }

    private static List<Integer> nfc(List<Integer> text) {
        List<Integer> out = new ArrayList<>();
        int base = -1;
        for (int c : nfd(text)) {
            boolean adjacent = base == out.size() - 1;
            boolean blocked =
                    base < 0
                            || !adjacent
                                    && combiningClass(out.get(out.size() - 1)) >= combiningClass(c);
            Integer composite = blocked ? null : composite(out.get(base), c);
            if (composite != null) {
                out.set(base, composite);
                continue;
            }
            out.add(c);
            if (combiningClass(c) == 0) {
                base = out.size() - 1;
            }
        }
        return out;
    }

    private static Integer composite(int b, int c) {
        if (b >= 0x1100 && b <= 0x1112 && c >= 0x1161 && c <= 0x1175) {
            return 0xAC00 + ((b - 0x1100) * 21 + c - 0x1161) * 28;
        }
        boolean syllable = b >= 0xAC00 && b - 0xAC00 <= 11171 && (b - 0xAC00) % 28 == 0;
        if (syllable && c >= 0x11A8 && c <= 0x11C2) {
            return b + c - 0x11A7;
        }
        return COMPOSITION.get(String.format("%04X %04X", b, c));
    }

    static List<String> tokens(String text) {
        List<Integer> points = new ArrayList<>();
        LINK.matcher(fold(text)).replaceAll(" ").codePoints().forEach(points::add);
        List<String> tokens = new ArrayList<>();
        int at = 0;
        while (at < points.size()) {
            int end = at;
            boolean continua = CONTINUA.get(points.get(at));
            while (end < points.size()
                    && WORD.get(points.get(end))
                    && CONTINUA.get(points.get(end)) == continua) {
                end++;
            }
            if (end - at >= 2 && continua) {
                for (int i = at; i + 2 <= end; i++) {
                    candidate(points.subList(i, i + 2), tokens);
                }
            } else {
                candidate(points.subList(at, end), tokens);
            }
            at = Math.max(end, at + 1);
        }
        return tokens;
    }

    private static void candidate(List<Integer> points, List<String> tokens) {
        int from = 0;
        int to = points.size();
        while (from < to && CONNECTOR.get(points.get(from))) {
            from++;
        }
        while (from < to && CONNECTOR.get(points.get(to - 1))) {
            to--;
        }
        if (points.subList(from, to).stream().anyMatch(ALPHABETIC::get)) {
            tokens.add(string(points.subList(from, to)));
        }
    }

    /** The text form, or {@code no-token}. */
    static String fingerprint(String text, int lanes) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String token : tokens(text)) {
            counts.merge(token, 1, (a, b) -> Math.min(8, a + b));
        }
        if (counts.isEmpty()) {
            return "no-token";
        }
        BigInteger bits = BigInteger.ZERO;
        for (int lane = 0; lane < lanes; lane++) {
            int[] sums = new int[64];
            for (Map.Entry<String, Integer> entry : counts.entrySet()) {
                byte[] bytes = entry.getKey().getBytes(StandardCharsets.UTF_8);
                BigInteger hash = xxh64(bytes, lane);
                for (int i = 0; i < 64; i++) {
                    sums[i] += hash.testBit(i) ? entry.getValue() : -entry.getValue();
                }
            }
            for (int i = 63; i >= 0; i--) {
                bits = bits.shiftLeft(1).or(sums[i] > 0 ? BigInteger.ONE : BigInteger.ZERO);
            }
        }
        int spare = Math.floorMod(-64 * lanes, 5);
        StringBuilder digits = new StringBuilder();
        for (BigInteger rest = bits.shiftLeft(spare); digits.length() < (64 * lanes + 4) / 5; ) {
            digits.insert(0, "abcdefghijklmnopqrstuvwxyz234567".charAt(rest.intValue() & 31));
            rest = rest.shiftRight(5);
        }
        return "sd" + 64 * lanes + ":" + digits;
    }

    private static final BigInteger[] PRIMES =
            Arrays.stream(
                            new String[] {
                                "9E3779B185EBCA87",
                                "C2B2AE3D27D4EB4F",
                                "165667B19E3779F9",
                                "85EBCA77C2B2AE63",
                                "27D4EB2F165667C5"
                            })
                    .map(hex -> new BigInteger(hex, 16))
                    .toArray(BigInteger[]::new);
    private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(64);

    private static BigInteger rotl(BigInteger x, int r) {
        BigInteger whole = x.mod(MODULUS);
        return whole.shiftLeft(r).or(whole.shiftRight(64 - r)).mod(MODULUS);
    }

    private static BigInteger round(BigInteger acc, BigInteger x) {
        return rotl(acc.add(x.multiply(PRIMES[1])), 31).multiply(PRIMES[0]);
    }

    private static BigInteger integer(byte[] bytes, int at, int size) {
        BigInteger value = BigInteger.ZERO;
        for (int i = at + size - 1; i >= at; i--) {
            value = value.shiftLeft(8).or(BigInteger.valueOf(bytes[i] & 0xFF));
        }
        return value;
    }

    static BigInteger xxh64(byte[] bytes, int seed) {
        BigInteger s = BigInteger.valueOf(seed);
        BigInteger acc = s.add(PRIMES[4]);
        int at = 0;
        if (bytes.length >= 32) {
            BigInteger[] v = {
                s.add(PRIMES[0]).add(PRIMES[1]), s.add(PRIMES[1]), s, s.subtract(PRIMES[0])
            };
            for (; bytes.length - at >= 32; at += 32) {
                for (int i = 0; i < 4; i++) {
                    v[i] = round(v[i], integer(bytes, at + 8 * i, 8));
                }
            }
            acc = rotl(v[0], 1).add(rotl(v[1], 7)).add(rotl(v[2], 12)).add(rotl(v[3], 18));
            for (BigInteger value : v) {
                BigInteger merged =
                        acc.mod(MODULUS).xor(round(BigInteger.ZERO, value).mod(MODULUS));
                acc = merged.multiply(PRIMES[0]).add(PRIMES[3]);
            }
        }
        acc = acc.add(BigInteger.valueOf(bytes.length)).mod(MODULUS);
        for (; bytes.length - at >= 8; at += 8) {
            BigInteger x = round(BigInteger.ZERO, integer(bytes, at, 8)).mod(MODULUS);
            acc = rotl(acc.xor(x), 27).multiply(PRIMES[0]).add(PRIMES[3]).mod(MODULUS);
        }
        if (bytes.length - at >= 4) {
            BigInteger x = integer(bytes, at, 4).multiply(PRIMES[0]).mod(MODULUS);
            acc = rotl(acc.xor(x), 23).multiply(PRIMES[1]).add(PRIMES[2]).mod(MODULUS);
            at += 4;
        }
        for (; at < bytes.length; at++) {
            BigInteger x = integer(bytes, at, 1).multiply(PRIMES[4]).mod(MODULUS);
            acc = rotl(acc.xor(x), 11).multiply(PRIMES[0]).mod(MODULUS);
        }
        acc = acc.xor(acc.shiftRight(33)).multiply(PRIMES[1]).mod(MODULUS);
        acc = acc.xor(acc.shiftRight(29)).multiply(PRIMES[2]).mod(MODULUS);
        return acc.xor(acc.shiftRight(32));
    }
}
