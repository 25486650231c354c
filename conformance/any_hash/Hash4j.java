import com.dynatrace.hash4j.hashing.Hashing;
import com.dynatrace.hash4j.similarity.ElementHashProvider;
import com.dynatrace.hash4j.similarity.SimilarityHashing;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An adapter of hash4j's SimHash for check.py: the elements are words between spaces. */
class Hash4j {
    private static final Pattern REQUEST =
            Pattern.compile("\\{\"op\": \"hash\", \"text\": \"(.*)\", \"id\": (\\d+)\\}");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(.))");

    public static void main(String[] arguments) throws Exception {
        var hasher = SimilarityHashing.simHash(64).createHasher();
        var words = Hashing.komihash5_0();
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            Matcher request = REQUEST.matcher(line);
            if (!request.matches()) {
                System.out.println("{\"protocol\": 1, \"name\": \"hash4j\", \"version\": \"com.dynatrace.hash4j 0.30.0\","
                        + " \"language\": \"Java\", \"unicode\": \"15.0\", \"operations\": [\"hash\"],"
                        + " \"schemes\": [], \"features\": []}");
                continue;
            }
            String text = ESCAPE.matcher(request.group(1)).replaceAll(found -> Matcher.quoteReplacement(read(found)));
            List<String> elements = Pattern.compile("\\s+").splitAsStream(text).filter(word -> !word.isEmpty()).toList();
            String outcome = "\"error\": \"no-hash\""; // compute fails for an empty set
            if (!elements.isEmpty()) {
                byte[] hash = hasher.compute(ElementHashProvider.ofCollection(elements, words::hashCharsToLong));
                outcome = "\"result\": \"" + HexFormat.of().formatHex(hash) + "\"";
            }
            System.out.println("{\"id\": " + request.group(2) + ", " + outcome + "}");
        }
    }

    private static String read(java.util.regex.MatchResult escape) {
        if (escape.group(1) != null) {
            return String.valueOf((char) Integer.parseInt(escape.group(1), 16));
        }
        return switch (escape.group(2)) {
            case "n" -> "\n";
            case "t" -> "\t";
            default -> escape.group(2);
        };
    }
}
