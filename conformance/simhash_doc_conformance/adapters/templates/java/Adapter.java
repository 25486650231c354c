import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line. */
public final class Adapter {
    private static final String NAME = "my-simhash", VERSION = "0.1";
    private static final String UNICODE = "15.0"; // of the NFC that the implementation uses (Java 20 and newer: 15.0)
    private static final List<String> SCHEMES = List.of("sd64");

    private static final Map<String, Function<Map<String, Object>, Map<String, Object>>> OPERATIONS = new LinkedHashMap<>();

    static {
        // ---- Plug in here --------------------------------------------------------------------------
        // An operation takes the members of a request and returns those of the answer: "result" with the
        // result, "error" with a name of section 14, or "unsupported" with true. The operations listed here are
        // declared to the runner. The input of `fingerprint` is request.get("text"), or else
        // request.get("bytes"), a document's bytes in hexadecimal (supporting them is optional).
        // The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
        // A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
        //
        // OPERATIONS.put("encode", r -> myEncode(r.get("hex"), r.get("scheme"), r.get("canonical")));
        // OPERATIONS.put("decode", r -> myDecode(r.get("text"), r.get("scheme")));
        // OPERATIONS.put("fingerprint", r -> myFingerprint(r.get("text"), r.get("scheme")));
    }

    // ---- The protocol ------------------------------------------------------------------------------
    private static Map<String, Object> answer(Map<String, Object> request) {
        if (request.get("op").equals("hello")) {
            return Map.of("protocol", 1, "name", NAME, "version", VERSION, "language", "Java", "unicode", UNICODE,
                    "operations", new ArrayList<>(OPERATIONS.keySet()), "schemes", SCHEMES, "features", List.of());
        }
        var operation = OPERATIONS.getOrDefault(request.get("op"), ignored -> Map.of("unsupported", true));
        var members = new LinkedHashMap<>(operation.apply(request));
        members.put("id", request.get("id"));
        return members;
    }

    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line; (line = input.readLine()) != null; ) {
            output.print(Json.write(answer(Json.readObject(line))) + "\n");
            output.flush();
        }
    }
}
