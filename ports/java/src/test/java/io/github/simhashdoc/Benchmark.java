package io.github.simhashdoc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Prints the speed of {@code fingerprint}: {@code Benchmark [SIZE] FILE...}
 *
 * <p>Each file is cut into documents of SIZE bytes (default: one document). Several passes go over
 * all documents; the best time of each document counts, so that other work of the machine does not.
 * The environment variable SECONDS is the time for each file and scheme (default: 3).
 */
final class Benchmark {
    private static final double NANOSECONDS =
            1e9 * Double.parseDouble(System.getenv().getOrDefault("SECONDS", "3"));

    private Benchmark() {}

    public static void main(String[] args) throws IOException {
        boolean sized = args.length > 0 && args[0].matches("[0-9]+");
        int size = sized ? Integer.parseInt(args[0]) : Integer.MAX_VALUE;
        for (String name : Arrays.asList(args).subList(sized ? 1 : 0, args.length)) {
            byte[] bytes = Files.readAllBytes(Path.of(name));
            System.out.print(name + ":");
            for (Scheme scheme : Scheme.values()) {
                double seconds = bestTime(documents(bytes, size), scheme) / 1e9;
                System.out.printf("  %s %.1f MB/s", scheme.id(), bytes.length / seconds / 1e6);
            }
            System.out.println();
        }
    }

    private static List<byte[]> documents(byte[] bytes, int size) {
        List<byte[]> documents = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += Math.min(size, bytes.length - from)) {
            documents.add(
                    Arrays.copyOfRange(bytes, from, from + Math.min(size, bytes.length - from)));
        }
        return documents;
    }

    /** The sum of the best times of all documents, in nanoseconds. */
    private static long bestTime(List<byte[]> documents, Scheme scheme) {
        long[] best = new long[documents.size()];
        Arrays.fill(best, Long.MAX_VALUE);
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < NANOSECONDS) {
            for (int i = 0; i < best.length; i++) {
                long start = System.nanoTime();
                fingerprint(documents.get(i), scheme);
                best[i] = Math.min(best[i], System.nanoTime() - start);
            }
        }
        return Arrays.stream(best).sum();
    }

    /** A text without a token takes as much time as others. */
    private static void fingerprint(byte[] document, Scheme scheme) {
        try {
            Simhash.fingerprint(document, scheme);
        } catch (SimhashException e) {
            if (e.problem() != Problem.NO_TOKEN) {
                throw e;
            }
        }
    }
}
