package io.github.simhashdoc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The worked examples of the specification. */
class ExamplesTest {
    private static final Pattern BLOCK =
            Pattern.compile("```json\\n(\\{\"example\".*?)```", Pattern.DOTALL);

    @Test
    void theExamplesOfTheSpecificationHold() throws IOException {
        int examples = 0;
        for (String document : List.of("simhash-doc.md", "search.md")) {
            String text = Files.readString(Repository.SPECIFICATION.resolve(document));
            for (Matcher block = BLOCK.matcher(text); block.find(); examples++) {
                check((Map<?, ?>) Json.parse(block.group(1)));
            }
        }
        assertTrue(examples >= 20, examples + " examples");
    }

    private static void check(Map<?, ?> example) {
        String kind = (String) example.get("example");
        if (kind.equals("trace")) {
            checkTrace(example);
        } else if (kind.equals("remove_links")) {
            assertEquals(example.get("output"), Simhash.removeLinks((String) example.get("input")));
        } else {
            Map<String, Object> answer = Operations.answer(kind, request(example));
            Object expected = example.get(example.containsKey("error") ? "error" : "output");
            Object given = answer.get(example.containsKey("error") ? "error" : "result");
            assertEquals(ordered(kind, expected), ordered(kind, given), Json.write(example));
        }
    }

    private static Map<String, Object> request(Map<?, ?> example) {
        Map<String, Object> request = new LinkedHashMap<>(Map.of("scheme", "sd64"));
        if (example.get("example").equals("decode")) {
            request.clear();
        }
        example.forEach((name, value) -> request.put((String) name, value));
        if (example.containsKey("input_hex")) {
            request.put(
                    "bytes", ((String) example.get("input_hex")).replace(" ", "").toLowerCase());
        } else if (example.containsKey("input_utf16")) {
            request.put("utf16", ((String) example.get("input_utf16")).replace(" ", ""));
        } else if (example.containsKey("input")) {
            request.put(
                    example.get("input") instanceof List ? "tokens" : "text", example.get("input"));
        }
        return request;
    }

    private static String ordered(String kind, Object result) {
        boolean free = List.of("tokens", "query", "find_all").contains(kind);
        if (!free || !(result instanceof List<?>)) {
            return Json.write(result);
        }
        List<String> sorted = new ArrayList<>();
        ((List<?>) result).forEach(element -> sorted.add(Json.write(element)));
        sorted.sort(Comparator.naturalOrder());
        return sorted.toString();
    }

    private static void checkTrace(Map<?, ?> example) {
        Trace trace = Simhash.trace((String) example.get("input"), Scheme.SD64);
        assertEquals(example.get("folded"), trace.folded());
        assertEquals(example.get("prepared"), trace.prepared());
        assertEquals(sorted((List<?>) example.get("tokens")), sorted(trace.tokens()));
        List<String> hashes =
                trace.hashes().stream()
                        .map(lanes -> String.format("%016x", lanes[0]))
                        .collect(Collectors.toList());
        assertEquals(sorted((List<?>) example.get("hashes")), sorted(hashes));
        List<Long> buckets = new ArrayList<>();
        for (byte bucket : trace.buckets()) {
            buckets.add((long) bucket);
        }
        assertEquals(example.get("buckets"), buckets);
        String hex = String.format("%016x", trace.fingerprint().lane(0));
        assertEquals(example.get("hex"), hex);
        assertEquals(example.get("fingerprint"), trace.fingerprint().toString());
    }

    private static List<String> sorted(List<?> list) {
        return list.stream().map(Json::write).sorted().collect(Collectors.toList());
    }
}
