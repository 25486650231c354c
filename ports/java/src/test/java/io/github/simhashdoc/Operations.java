package io.github.simhashdoc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operations of the conformance protocol (PROTOCOL.md). */
final class Operations {
    static final List<String> NAMES =
            List.of(
                    "fingerprint",
                    "encode",
                    "decode",
                    "distance",
                    "narrow",
                    "fold",
                    "tokens",
                    "hash_tokens",
                    "buckets",
                    "query",
                    "find_all",
                    "update",
                    "trace");

    private final Map<?, ?> request;

    private Operations(Map<?, ?> request) {
        this.request = request;
    }

    /** The members of an answer: a result, or an error. */
    static Map<String, Object> answer(String operation, Map<?, ?> request) {
        Map<String, Object> answer = new LinkedHashMap<>();
        if (!NAMES.contains(operation)) {
            answer.put("unsupported", true);
            return answer;
        }
        try {
            answer.put("result", new Operations(request).run(operation));
        } catch (SimhashException e) {
            answer.put("error", e.problem().id());
        }
        return answer;
    }

    private Object run(String operation) {
        switch (operation) {
            case "fingerprint":
                return fingerprint();
            case "encode":
                boolean canonical = (Boolean) request.get("canonical");
                Scheme scheme = scheme();
                return Fingerprint.of(bytes(string("hex")), scheme, canonical).toString();
            case "decode":
                return decode();
            case "distance":
                return distance();
            case "narrow":
                Scheme target = scheme();
                return Fingerprint.parse(string("text")).narrow(target).toString();
            case "fold":
                return digested(fold());
            case "tokens":
                return tokens();
            case "hash_tokens":
                return hashes();
            case "buckets":
                return numbers(accumulator(scheme()).buckets(scheme()));
            case "query":
                return query();
            case "find_all":
                return pairs();
            case "update":
                return update();
            default:
                return trace();
        }
    }

    private String string(String name) {
        return (String) request.get(name);
    }

    private Scheme scheme() {
        return Scheme.of(string("scheme"));
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    private static String units(String hex) {
        StringBuilder units = new StringBuilder();
        for (int i = 0; i < hex.length(); i += 4) {
            units.append((char) Integer.parseInt(hex.substring(i, i + 4), 16));
        }
        return units.toString();
    }

    /** The document: a string, or bytes. */
    private Object document() {
        if (request.containsKey("bytes")) {
            return bytes(string("bytes"));
        }
        if (request.containsKey("utf16")) {
            return units(string("utf16"));
        }
        return request.containsKey("recipe")
                ? Recipe.expand(request.get("recipe"))
                : string("text");
    }

    private Accumulator accumulator(Scheme scheme) {
        Object document = document();
        Accumulator accumulator = new Accumulator();
        return document instanceof byte[]
                ? accumulator.add((byte[]) document)
                : accumulator.add((String) document);
    }

    private String fingerprint() {
        Scheme scheme = scheme();
        Object document = document();
        if (request.containsKey("cuts")) {
            return pieces(document).fingerprint(scheme).toString();
        }
        Fingerprint fingerprint =
                document instanceof byte[]
                        ? Simhash.fingerprint((byte[]) document, scheme)
                        : Simhash.fingerprint((String) document, scheme);
        return fingerprint.toString();
    }

    /** The document in the pieces that end at the cuts. */
    private Accumulator pieces(Object document) {
        List<Number> ends = new ArrayList<>();
        for (Object cut : (List<?>) request.get("cuts")) {
            ends.add((Number) cut);
        }
        boolean isBytes = document instanceof byte[];
        ends.add(isBytes ? ((byte[]) document).length : ((String) document).length());
        Accumulator accumulator = new Accumulator();
        int start = 0;
        for (Number number : ends) {
            int end = number.intValue();
            if (isBytes) {
                accumulator.add((byte[]) document, start, end - start);
            } else {
                accumulator.add(((String) document).substring(start, end));
            }
            start = end;
        }
        return accumulator;
    }

    private Map<String, Object> decode() {
        String text = string("text");
        Fingerprint fingerprint =
                request.containsKey("scheme")
                        ? Fingerprint.parse(text, scheme())
                        : Fingerprint.parse(text);
        StringBuilder hex = new StringBuilder();
        for (byte b : fingerprint.toBytes()) {
            hex.append(String.format("%02x", b));
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("scheme", fingerprint.scheme().id());
        result.put("hex", hex.toString());
        result.put("canonical", fingerprint.isCanonical());
        return result;
    }

    private Map<String, Object> distance() {
        Fingerprint a = Fingerprint.parse(string("a"));
        Fingerprint b = Fingerprint.parse(string("b"));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("distance", a.distance(b));
        result.put("similarity", a.similarity(b));
        return result;
    }

    private String fold() {
        Object document = document();
        return document instanceof byte[]
                ? Simhash.fold((byte[]) document)
                : Simhash.fold((String) document);
    }

    private String digested(String text) {
        return Boolean.TRUE.equals(request.get("digest"))
                ? digest(text.getBytes(StandardCharsets.UTF_8))
                : text;
    }

    private static String digest(byte[] bytes) {
        return String.format("%016x", XxHash64.hash(bytes, 0, bytes.length, 0));
    }

    private Object tokens() {
        Object document = document();
        List<String> tokens =
                document instanceof byte[]
                        ? Simhash.tokens((byte[]) document)
                        : Simhash.tokens((String) document);
        if (!Boolean.TRUE.equals(request.get("digest"))) {
            return tokens;
        }
        byte[][] sorted =
                tokens.stream()
                        .map(token -> (token + "\n").getBytes(StandardCharsets.UTF_8))
                        .sorted(Operations::compareTokens)
                        .toArray(byte[][]::new);
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] token : sorted) {
            all.writeBytes(token);
        }
        return digest(all.toByteArray());
    }

    private static int compareTokens(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, 0, a.length - 1, b, 0, b.length - 1);
    }

    private List<String> hashes() {
        Scheme scheme = scheme();
        List<String> hashes = new ArrayList<>();
        for (Object token : (List<?>) request.get("tokens")) {
            StringBuilder digits = new StringBuilder();
            for (long lane : Simhash.hash((String) token, scheme)) {
                digits.append(String.format("%016x", lane));
            }
            hashes.add(digits.toString());
        }
        return hashes;
    }

    private static List<Integer> numbers(byte[] buckets) {
        List<Integer> numbers = new ArrayList<>();
        for (byte bucket : buckets) {
            numbers.add((int) bucket);
        }
        return numbers;
    }

    private int within() {
        return (int) Math.min(Integer.MAX_VALUE, ((Number) request.get("distance")).longValue());
    }

    private static List<Fingerprint> queries(Object texts) {
        List<Fingerprint> queries = new ArrayList<>();
        for (Object query : (List<?>) texts) {
            queries.add(Fingerprint.parse((String) query));
        }
        return queries;
    }

    private static Map<String, Fingerprint> entries(Object pairs) {
        Map<String, Fingerprint> entries = new LinkedHashMap<>();
        for (Object entry : (List<?>) pairs) {
            List<?> members = (List<?>) entry;
            entries.put((String) members.get(0), Fingerprint.parse((String) members.get(1)));
        }
        return entries;
    }

    private static Index index(Map<String, Fingerprint> entries, Scheme scheme) {
        Index index = new Index(scheme);
        entries.forEach(index::add);
        return index;
    }

    private static Scheme first(Iterable<Fingerprint> entries, Iterable<Fingerprint> queries) {
        for (Iterable<Fingerprint> some : List.of(entries, queries)) {
            for (Fingerprint fingerprint : some) {
                return fingerprint.scheme();
            }
        }
        return Scheme.SD64;
    }

    private List<List<String>> query() {
        Map<String, Fingerprint> entries = entries(request.get("entries"));
        List<Fingerprint> queries = queries(request.get("queries"));
        return found(index(entries, first(entries.values(), queries)), queries);
    }

    private List<List<String>> found(Index index, List<Fingerprint> queries) {
        List<List<String>> found = new ArrayList<>();
        for (Fingerprint query : queries) {
            found.add(index.query(query, within()));
        }
        return found;
    }

    private List<List<List<String>>> update() {
        Index index = new Index(scheme());
        List<List<List<String>>> answers = new ArrayList<>();
        for (Object element : (List<?>) request.get("steps")) {
            Map<?, ?> step = (Map<?, ?>) element;
            if (step.containsKey("insert")) {
                entries(step.get("insert")).forEach(index::add);
            }
            if (step.containsKey("remove")) {
                ((List<?>) step.get("remove")).forEach(id -> index.remove((String) id));
            }
            if (step.containsKey("query")) {
                answers.add(found(index, queries(step.get("query"))));
            }
        }
        return answers;
    }

    private List<List<String>> pairs() {
        Map<String, Fingerprint> entries = entries(request.get("entries"));
        List<List<String>> found = new ArrayList<>();
        for (Index.Pair pair : index(entries, first(entries.values(), List.of())).pairs(within())) {
            found.add(List.of(pair.first(), pair.second()));
        }
        return found;
    }

    private Map<String, Object> trace() {
        Scheme scheme = scheme();
        Object document = document();
        Trace trace =
                document instanceof byte[]
                        ? Simhash.trace((byte[]) document, scheme)
                        : Simhash.trace((String) document, scheme);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("folded", trace.folded());
        result.put("prepared", trace.prepared());
        result.put("tokens", trace.tokens());
        if (trace.fingerprint() == null) {
            result.put("error", Problem.NO_TOKEN.id());
        } else {
            result.put("buckets", numbers(trace.buckets()));
            result.put("fingerprint", trace.fingerprint().toString());
        }
        return result;
    }
}
