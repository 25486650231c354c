package io.github.simhashdoc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** All test vectors of the conformance suite but those of the class extract. */
class VectorsTest {

    @Test
    void everyCaseHasItsExpectedAnswer() throws IOException {
        List<String> failures = new ArrayList<>();
        int cases = 0;
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(Repository.VECTORS, "cases-*.json")) {
            for (Path file : files) {
                if (file.endsWith("cases-index-sizes.json")) {
                    continue; // the runner generates their entries
                }
                Map<?, ?> content = (Map<?, ?>) Json.parse(Files.readString(file));
                for (Object vector : (List<?>) content.get("cases")) {
                    if (!"extract".equals(((Map<?, ?>) vector).get("op"))) {
                        cases++;
                        check((Map<?, ?>) vector, failures);
                    }
                }
            }
        }
        assertTrue(cases > 3000, cases + " cases in " + Repository.VECTORS.toAbsolutePath());
        assertEquals(List.of(), failures);
    }

    @SuppressWarnings("unchecked")
    private static void check(Map<?, ?> vector, List<String> failures) {
        String operation = (String) vector.get("op");
        Map<String, Object> input = (Map<String, Object>) vector.get("input");
        Map<String, Object> expected = (Map<String, Object>) vector.get("expected");
        Map<String, Object> answer = Operations.answer(operation, input);
        assertFalse(answer.containsKey("unsupported"), operation);
        if (!expected.isEmpty()) {
            compare(vector, operation, expected, answer, failures);
        }
        List<?> same = vector.containsKey("same") ? (List<?>) vector.get("same") : List.of();
        for (Object document : same) {
            Map<String, Object> other = new TreeMap<>(input);
            other.keySet().removeAll(List.of("text", "bytes", "utf16", "recipe"));
            other.putAll((Map<String, Object>) document);
            compare(vector, operation, answer, Operations.answer(operation, other), failures);
        }
    }

    private static void compare(
            Map<?, ?> vector,
            String operation,
            Object expected,
            Object answer,
            List<String> failures) {
        String right = ordered(operation, expected);
        String given = ordered(operation, answer);
        if (!right.equals(given)) {
            failures.add(vector.get("id") + ": " + given + " instead of " + right);
        }
    }

    /** The answer as JSON, with the lists sorted whose order is free. */
    private static String ordered(String operation, Object answer) {
        Object result = Json.parse(Json.write(((Map<?, ?>) answer).get("result")));
        if (operation.equals("trace")) {
            Map<String, Object> steps = new TreeMap<>();
            ((Map<?, ?>) result).forEach((name, value) -> steps.put((String) name, value));
            steps.computeIfPresent("tokens", (name, tokens) -> sorted(tokens));
            result = steps;
        }
        if (result instanceof List<?>) {
            if (operation.equals("query") || operation.equals("find_all")) {
                result = eachSorted(result);
            }
            if (operation.equals("update")) {
                result =
                        ((List<?>) result)
                                .stream().map(VectorsTest::eachSorted).collect(Collectors.toList());
            }
            if (operation.equals("tokens") || operation.equals("find_all")) {
                result = sorted(result);
            }
        }
        return Json.write(result) + " " + ((Map<?, ?>) answer).get("error");
    }

    private static List<List<String>> eachSorted(Object lists) {
        return ((List<?>) lists).stream().map(VectorsTest::sorted).collect(Collectors.toList());
    }

    private static List<String> sorted(Object list) {
        return ((List<?>) list).stream().map(Json::write).sorted().collect(Collectors.toList());
    }
}
