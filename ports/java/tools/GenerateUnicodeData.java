import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes UnicodeData.java from the pinned data of the specification, after checking its digests.
 *
 * <p>{@code java tools/GenerateUnicodeData.java SPEC_DATA OUTPUT}
 *
 * <p>Each table becomes a string of numbers, five bits to a character, the least significant first;
 * a character of the upper half continues the number. Code points are written as differences.
 */
public final class GenerateUnicodeData {
    private static final String DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
    private static final int LONGEST_CONSTANT = 65535;
    private static final int COLUMNS = 80;

    private final Path data;
    private final StringBuilder java = new StringBuilder();

    private GenerateUnicodeData(Path data) {
        this.data = data;
    }

    public static void main(String[] args) throws IOException, NoSuchAlgorithmException {
        if (args.length != 2) {
            System.err.println("usage: java GenerateUnicodeData.java SPEC_DATA OUTPUT");
            System.exit(2);
        }
        Files.writeString(Path.of(args[1]), new GenerateUnicodeData(Path.of(args[0])).generate());
    }

    private String generate() throws IOException, NoSuchAlgorithmException {
        checkDigests();
        line("// Made by tools/GenerateUnicodeData.java. Do not edit.");
        line("// Derived from Unicode data: SPDX-License-Identifier: Unicode-3.0");
        line("package io.github.simhashdoc;");
        line("");
        line(
                "/** The pinned data of the specification: Unicode 15.0. {@link Unicode} reads it. */");
        line("final class UnicodeData {");
        line("    /** The SHA-256 of the file of digests of the data, {@code SHA256SUMS}. */");
        line("    static final String DIGEST =");
        line("            \"" + sha256(data.resolve("SHA256SUMS")) + "\";");
        List<Range> word = read("word.txt");
        constant("WORD", "word characters: gap, length", ranges(word));
        constant("CONNECTOR", "connectors: gap, length", ranges(only(word, "Pc")));
        constant("ALPHABETIC", "Alphabetic: gap, length", ranges(read("alphabetic.txt")));
        constant("CONTINUA", "scriptio continua: gap, length", ranges(read("continua.txt")));
        constant("ASSIGNED", "assigned code points: gap, length", ranges(read("assigned.txt")));
        constant("CLASSES", "combining classes: gap, length, class", classes());
        constant(
                "FOLDING",
                "foldings: gap, length, count, differences",
                sequences("nfkc_casefold.txt"));
        constant("DECOMPOSITION", "decompositions, likewise", sequences("decomposition.txt"));
        constant("COMPOSITION", "pairs that compose, likewise", sequences("composition.txt"));
        line("");
        line("    private UnicodeData() {}");
        line("}");
        return java.toString();
    }

    private void checkDigests() throws IOException, NoSuchAlgorithmException {
        for (String entry : Files.readAllLines(data.resolve("SHA256SUMS"))) {
            String[] parts = entry.split(" +");
            if (!sha256(data.resolve(parts[1])).equals(parts[0])) {
                throw new IOException(parts[1] + " does not have the digest of SHA256SUMS");
            }
        }
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return String.format("%064x", new BigInteger(1, digest));
    }

    private record Range(int first, int last, String value) {}

    private List<Range> read(String name) throws IOException {
        List<Range> ranges = new ArrayList<>();
        for (String entry : Files.readAllLines(data.resolve(name), StandardCharsets.US_ASCII)) {
            if (!entry.startsWith("#")) {
                String[] parts = entry.split(" ;", -1);
                String[] ends = parts[0].split("\\.\\.");
                int first = Integer.parseInt(ends[0], 16);
                int last = Integer.parseInt(ends[ends.length - 1], 16);
                ranges.add(new Range(first, last, parts.length > 1 ? parts[1].strip() : ""));
            }
        }
        return ranges;
    }

    private static List<Range> only(List<Range> ranges, String value) {
        List<Range> chosen = new ArrayList<>();
        for (Range range : ranges) {
            if (range.value().equals(value)) {
                chosen.add(range);
            }
        }
        return chosen;
    }

    private static String ranges(List<Range> ranges) {
        StringBuilder out = new StringBuilder();
        int end = 0;
        for (int i = 0; i < ranges.size(); i++) {
            int first = ranges.get(i).first();
            while (i + 1 < ranges.size() && ranges.get(i + 1).first() == ranges.get(i).last() + 1) {
                i++;
            }
            number(out, first - end);
            number(out, ranges.get(i).last() + 1 - first);
            end = ranges.get(i).last() + 1;
        }
        return out.toString();
    }

    private String classes() throws IOException {
        StringBuilder out = new StringBuilder();
        int end = 0;
        for (Range range : read("combining_class.txt")) {
            end = range(out, range, end);
            number(out, Integer.parseInt(range.value()));
        }
        return out.toString();
    }

    private String sequences(String name) throws IOException {
        StringBuilder out = new StringBuilder();
        int end = 0;
        for (Range range : read(name)) {
            end = range(out, range, end);
            String[] points = range.value().isEmpty() ? new String[0] : range.value().split(" ");
            number(out, points.length);
            int before = range.first();
            for (String point : points) {
                int difference = Integer.parseInt(point, 16) - before;
                number(out, difference < 0 ? -2 * difference - 1 : 2 * difference);
                before += difference;
            }
        }
        return out.toString();
    }

    private static int range(StringBuilder out, Range range, int end) {
        number(out, range.first() - end);
        number(out, range.last() + 1 - range.first());
        return range.last() + 1;
    }

    private static void number(StringBuilder out, int value) {
        int rest = value;
        for (; rest >= 32; rest >>= 5) {
            out.append(DIGITS.charAt(32 + rest % 32));
        }
        out.append(DIGITS.charAt(rest));
    }

    private void constant(String name, String meaning, String value) {
        if (value.length() > LONGEST_CONSTANT) {
            throw new IllegalStateException(name + " is too long for a constant of Java");
        }
        line("");
        line("    /** " + Character.toUpperCase(meaning.charAt(0)) + meaning.substring(1) + ". */");
        line("    static final String " + name + " =");
        for (int i = 0; i < value.length(); i += COLUMNS) {
            String part = value.substring(i, Math.min(i + COLUMNS, value.length()));
            String end = i + COLUMNS < value.length() ? "" : ";";
            line("            " + (i > 0 ? "+ " : "") + "\"" + part + "\"" + end);
        }
    }

    private void line(String text) {
        java.append(text).append('\n');
    }
}
