package io.github.simhashdoc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers the requests of the conformance runner on standard input (PROTOCOL.md). */
final class Adapter {
    private Adapter() {}

    public static void main(String[] args) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(Json.write(answer((Map<?, ?>) Json.parse(line))) + "\n");
            out.flush();
        }
    }

    private static Map<String, Object> answer(Map<?, ?> request) {
        String operation = (String) request.get("op");
        if (operation.equals("hello")) {
            return hello();
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", request.get("id"));
        answer.putAll(Operations.answer(operation, request));
        return answer;
    }

    private static Map<String, Object> hello() {
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("protocol", 1);
        hello.put("name", "simhash-doc-java");
        hello.put("version", "0.1.0");
        hello.put("language", "Java");
        hello.put("unicode", "15.0.0");
        hello.put("operations", Operations.NAMES);
        hello.put(
                "schemes", Stream.of(Scheme.values()).map(Scheme::id).collect(Collectors.toList()));
        hello.put("features", List.of("surrogates", "digest", "recipes", "cuts"));
        return hello;
    }
}
