package io.github.simhashdoc.integrations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.simhashdoc.Fingerprint;
import io.github.simhashdoc.Scheme;
import io.github.simhashdoc.Simhash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import org.apache.solr.client.solrj.SolrRequest;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.client.solrj.request.ContentStreamUpdateRequest;
import org.apache.solr.client.solrj.request.QueryRequest;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.ContentStreamBase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cores of Solr that are configured with what the guides show. */
class SolrCoreTest {
    private static final String TEXT = "The tide mill of the bay ground flour for the parish.";
    private static final FingerprintIndex INDEX =
            new FingerprintIndex("simhash", Scheme.SD256, 20, 21);

    @TempDir static Path home;
    @AutoClose private static EmbeddedSolrServer solr;

    @BeforeAll
    static void startCores() throws IOException {
        String chain = Guide.PIPELINE.block("xml title=\"solrconfig.xml\"");
        String fields = Guide.PIPELINE.block("xml title=\"The fields in the schema\"");
        writeCore(home, "pages", chain, fields);

        String later = "<updateRequestProcessorChain name=\"later\" default=\"true\">";
        String run = "<processor class=\"solr.RunUpdateProcessorFactory\"/>";
        writeCore(home, "two", chain + later + run + "</updateRequestProcessorChain>", fields);

        Matcher other =
                Guide.PIPELINE.find(
                        "`scheme` to `(\\w+)`, `distance` to (\\d+) and `blocks` to (\\d+)");
        String parameters =
                String.format(
                        "<str name=\"scheme\">%s</str><int name=\"distance\">%s</int>"
                                + "<int name=\"blocks\">%s</int>",
                        other.group(1), other.group(2), other.group(3));
        writeCore(
                home,
                "sd64",
                replace(chain, "<int name=\"distance\">20</int>", parameters),
                fields);

        String signature = Guide.MIGRATE.block("xml title=\"Exact copies in Solr\"");
        String log = "<processor class=\"solr.Log";
        writeCore(home, "copies", replace(chain, log, signature + log), fields);
        String equal = replace(signature, ">text<", ">simhash<");
        writeCore(home, "equal", replace(chain, log, equal + log), fields);

        Files.writeString(home.resolve("solr.xml"), "<solr/>");
        solr = new EmbeddedSolrServer(home, "pages");
    }

    private static String replace(String text, String old, String by) {
        assertTrue(text.contains(old), old);
        return text.replace(old, by);
    }

    /** Writes a core with the chain and the fields in addition to those of a text. */
    static void writeCore(Path home, String name, String chain, String fields) throws IOException {
        Path conf = Files.createDirectories(home.resolve(name).resolve("conf"));
        Files.writeString(home.resolve(name).resolve("core.properties"), "");
        Files.writeString(
                conf.resolve("solrconfig.xml"),
                "<config><luceneMatchVersion>9.12</luceneMatchVersion>"
                        + "<updateHandler><updateLog/></updateHandler>"
                        + "<requestHandler name=\"/select\" class=\"solr.SearchHandler\"/>"
                        + chain
                        + "</config>");
        Files.writeString(
                conf.resolve("schema.xml"),
                "<schema name=\"pages\" version=\"1.7\"><uniqueKey>id</uniqueKey>"
                        + "<fieldType name=\"string\" class=\"solr.StrField\"/>"
                        + "<fieldType name=\"plong\" class=\"solr.LongPointField\"/>"
                        + "<fieldType name=\"text\" class=\"solr.TextField\">"
                        + "<analyzer><tokenizer name=\"standard\"/></analyzer></fieldType>"
                        + "<field name=\"id\" type=\"string\" required=\"true\"/>"
                        + "<field name=\"_root_\" type=\"string\" docValues=\"false\"/>"
                        + "<field name=\"_version_\" type=\"plong\"/>"
                        + "<field name=\"title\" type=\"string\"/>"
                        + "<field name=\"text\" type=\"text\" multiValued=\"true\"/>"
                        + "<field name=\"signature\" type=\"string\"/>"
                        + "<field name=\"value\" type=\"plong\"/>"
                        + fields
                        + "</schema>");
    }

    @BeforeEach
    void empty() throws Exception {
        for (String core : solr.getCoreContainer().getAllCoreNames()) {
            solr.deleteByQuery(core, "*:*");
        }
    }

    /** Adds documents in JSON, as most clients do. */
    private static void add(String core, String... documents) throws Exception {
        ContentStreamUpdateRequest request = new ContentStreamUpdateRequest("/update");
        String json = Arrays.toString(documents).replace('\'', '"');
        request.addContentStream(new ContentStreamBase.StringStream(json, "application/json"));
        request.setParam("commit", "true");
        solr.request(request, core);
    }

    private static Map<String, SolrDocument> all(String core) throws Exception {
        Map<String, SolrDocument> all = new HashMap<>();
        ModifiableSolrParams every = new ModifiableSolrParams().set("q", "*:*").set("rows", 10000);
        for (SolrDocument document : solr.query(core, every).getResults()) {
            all.put((String) document.getFieldValue("id"), document);
        }
        return all;
    }

    /** Sends the request of the guide, with its own terms or others. */
    private static List<SolrDocument> near(String core, List<String> terms) throws Exception {
        Matcher shown =
                Guide.PIPELINE.find(
                        "curl http://localhost:8983/solr/pages(/\\w+) --data-urlencode"
                                + " '(q)=(\\{[^}]*\\})([^']*)' \\\\\\n +(-d [^\\n]*)\\n");
        String values = terms == null ? shown.group(4) : String.join(",", terms);
        ModifiableSolrParams parameters = new ModifiableSolrParams();
        parameters.set(shown.group(2), shown.group(3) + values);
        for (String parameter : shown.group(5).substring(3).split(" -d ")) {
            parameters.set(parameter.split("=")[0], parameter.split("=")[1]);
        }
        QueryRequest request = new QueryRequest(parameters, SolrRequest.METHOD.POST);
        request.setPath(shown.group(1));
        return request.process(solr, core).getResults();
    }

    @Test
    void eachDocumentGetsTheFingerprintOfTheLibraryAndItsTerms() throws Exception {
        String old = "'simhash': 'old', 'simhash_block': ['old'], "; // as after an export
        add(
                "pages",
                "{'id': 'original', 'text': '" + TEXT + "'}",
                "{'id': 'edited', " + old + "'text': '" + TEXT + " Indeed.'}",
                "{'id': 'unrelated', 'text': 'Trains to stations of the coast line', 'title': 'T'}",
                "{'id': 'two', 'text': ['The tide', 'mill']}",
                "{'id': 'null within', 'text': ['The tide', null, 'mill']}",
                "{'id': 'surrogates', 'text': 'The tide \\ud83c\\udf0a and \\ud800 mill'}",
                "{'id': 'number', 'text': [1848, 'mills']}",
                "{'id': 'empty', " + old + "'text': ''}",
                "{'id': 'signs', " + old + "'text': '!?'}",
                "{'id': 'null', " + old + "'text': null}",
                "{'id': 'no value', " + old + "'text': []}",
                "{'id': 'missing', 'title': '" + TEXT + "'}",
                "{'id': 'parent', 'text': 'The mill', '_childDocuments_':"
                        + " [{'id': 'child', 'text': 'The tide'}]}");
        Map<String, String> texts = new HashMap<>();
        texts.put("original", TEXT);
        texts.put("edited", TEXT + " Indeed.");
        texts.put("unrelated", "Trains to stations of the coast line");
        texts.put("two", "The tide\nmill");
        texts.put("null within", "The tide\nmill");
        texts.put("surrogates", "The tide \ud83c\udf0a and \ud800 mill");
        texts.put("number", "1848\nmills");
        texts.put("parent", "The mill");
        Map<String, SolrDocument> stored = all("pages");
        assertEquals(14, stored.size());
        for (SolrDocument document : stored.values()) {
            String text = texts.get(document.getFieldValue("id"));
            if (text == null) {
                assertEquals(List.of(), blocks(document), document.toString());
                assertEquals(null, document.getFieldValue("simhash"), document.toString());
            } else {
                Fingerprint fingerprint = Simhash.fingerprint(text, Scheme.SD256);
                assertEquals(fingerprint.toString(), document.getFieldValue("simhash"), text);
                assertEquals(INDEX.terms(fingerprint), blocks(document), text);
            }
        }
        List<SolrDocument> found = near("pages", null); // with the terms of the guide
        assertTrue(found.size() < stored.size());
        SolrDocument original = found.get(0);
        assertEquals(Set.of("id", "simhash"), original.keySet());
        assertEquals("original", original.getFieldValue("id"));
    }

    private static List<Object> blocks(SolrDocument document) {
        var blocks = document.getFieldValues("simhash_block");
        return blocks == null ? List.of() : new ArrayList<>(blocks);
    }

    @Test
    void aPartialUpdateKeepsTheFingerprintAndOneOfTheTextIsAnError() throws Exception {
        add("pages", "{'id': 'a', 'text': '" + TEXT + "'}", "{'id': 'b', 'text': 'The tide'}");
        SolrDocument before = all("pages").get("a");
        add("pages", "{'id': 'a', 'title': {'set': 'new'}}");
        SolrDocument after = all("pages").get("a");
        assertEquals("new", after.getFieldValue("title"));
        assertEquals(INDEX.terms(Simhash.fingerprint(TEXT, Scheme.SD256)), blocks(after));
        SolrException error =
                assertThrows(
                        SolrException.class,
                        () -> add("pages", "{'id': 'a', 'text': {'set': 'new'}}"));
        assertEquals(SolrException.ErrorCode.BAD_REQUEST.code, error.code());
        assertTrue(error.getMessage().startsWith("document a: partial update of text"));
        for (String field : List.of("text", "simhash", "simhash_block")) {
            assertEquals(before.getFieldValues(field), after.getFieldValues(field));
            assertEquals(before.getFieldValues(field), all("pages").get("a").getFieldValues(field));
        }
        add("pages", "{'id': 'a', 'title': 'without a text'}");
        assertEquals(null, all("pages").get("a").getFieldValue("simhash"));
    }

    @Test
    void ofTwoDefaultChainsTheLastIsUsed() throws Exception {
        add("two", "{'id': 'a', 'text': 'The tide'}");
        assertEquals(null, all("two").get("a").getFieldValue("simhash"));
    }

    @ParameterizedTest
    @CsvSource({"pages, SD256, 20, 21", "sd64, SD64, 3, 6"})
    void theRequestAndTheDistancesFindWhatComparingAllFinds(
            String core, Scheme scheme, int distance, int blocks) throws Exception {
        FingerprintIndex index = new FingerprintIndex("simhash", scheme, distance, blocks);
        Map<String, Fingerprint> fingerprints = new HashMap<>();
        List<SolrInputDocument> documents = new ArrayList<>();
        for (String text : editedTexts()) {
            String id = "text " + documents.size();
            fingerprints.put(id, Simhash.fingerprint(text, Scheme.SD256));
            documents.add(new SolrInputDocument("id", id, "text", text));
        }
        Fingerprint base = fingerprints.get("text 0");
        List<Fingerprint> others = new ArrayList<>();
        for (int flips : new int[] {distance, distance + 1}) {
            others.add(flip(base, flips, bit -> bit)); // those of one or two blocks
            others.add(flip(base, flips, bit -> bit * scheme.bits() / blocks)); // one of a block
        }
        for (long lane : new long[] {0, Long.MIN_VALUE, -1}) {
            others.add(of(lane, lane, lane, lane));
        }
        for (Fingerprint other : others) { // computed elsewhere
            String id = "other " + documents.size();
            fingerprints.put(id, other);
            SolrInputDocument document = new SolrInputDocument("id", id);
            document.setField("simhash", other.toString());
            document.setField("simhash_block", index.terms(other));
            documents.add(document);
        }
        solr.add(core, documents);
        solr.commit(core);

        int candidates = 0;
        int beyondItself = 0;
        for (Fingerprint query : fingerprints.values()) {
            Map<String, Integer> expected = new HashMap<>();
            fingerprints.forEach(
                    (id, other) -> putNear(expected, id, query, other, scheme, distance));
            Map<String, Integer> found = new HashMap<>();
            for (SolrDocument hit : near(core, index.terms(query))) {
                candidates++;
                Fingerprint other = Fingerprint.parse((String) hit.getFieldValue("simhash"));
                putNear(found, (String) hit.getFieldValue("id"), query, other, scheme, distance);
            }
            assertEquals(expected, found);
            beyondItself += found.size() - 1;
        }
        assertTrue(beyondItself > 50, "pairs: " + beyondItself);
        assertTrue(candidates > fingerprints.size() + beyondItself, "candidates: " + candidates);
        assertEquals(307, fingerprints.size());
    }

    private static void putNear(
            Map<String, Integer> near,
            String id,
            Fingerprint query,
            Fingerprint other,
            Scheme scheme,
            int distance) {
        int bits = query.narrow(scheme).distance(other.narrow(scheme));
        if (bits <= distance) {
            near.put(id, bits);
        }
    }

    /** Returns 100 texts of 80 words, each as it is and with a few and more words replaced. */
    private static List<String> editedTexts() {
        Random random = new Random(36);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String[] words = new String[80];
            Arrays.setAll(words, j -> word(random));
            texts.add(String.join(" ", words));
            for (int most : new int[] {2, 8}) {
                String[] edited = words.clone();
                for (int edits = 1 + random.nextInt(most); edits > 0; edits--) {
                    edited[random.nextInt(edited.length)] = word(random);
                }
                texts.add(String.join(" ", edited));
            }
        }
        return texts;
    }

    private static String word(Random random) {
        return Integer.toString(36 * 36 * 36 + random.nextInt(3000), 36).replaceAll("[0-9]", "e");
    }

    private static Fingerprint flip(Fingerprint base, int flips, IntUnaryOperator place) {
        byte[] bytes = base.toBytes();
        for (int i = 0; i < flips; i++) {
            int bit = place.applyAsInt(i);
            bytes[bit / 8] ^= (byte) (0x80 >> bit % 8);
        }
        return Fingerprint.of(bytes, base.scheme(), true);
    }

    private static Fingerprint of(long... lanes) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * lanes.length);
        bytes.asLongBuffer().put(lanes);
        return Fingerprint.of(bytes.array(), lanes.length == 1 ? Scheme.SD64 : Scheme.SD256, true);
    }

    @Test
    void all64BitsSurviveAsATextFormAndAsASignedNumber() throws Exception {
        List<SolrInputDocument> documents = new ArrayList<>();
        Map<String, Fingerprint> fingerprints = new HashMap<>();
        Random random = new Random(64);
        for (int i = 0; i < 1003; i++) {
            long value = i < 3 ? new long[] {0, Long.MIN_VALUE, -1}[i] : random.nextLong();
            Fingerprint fingerprint = of(value);
            fingerprints.put("" + i, fingerprint);
            SolrInputDocument document = new SolrInputDocument("id", "" + i);
            document.setField("simhash", fingerprint.toString());
            document.setField("value", fingerprint.lane(0));
            documents.add(document);
        }
        solr.add("pages", documents);
        solr.commit("pages");
        Map<String, SolrDocument> stored = all("pages");
        assertEquals(1003, stored.size());
        stored.forEach(
                (id, document) -> {
                    String text = (String) document.getFieldValue("simhash");
                    assertEquals(fingerprints.get(id), Fingerprint.parse(text, Scheme.SD64));
                    assertEquals(fingerprints.get(id).lane(0), document.getFieldValue("value"));
                });
        String unsigned = "{'id': 'unsigned', 'value': 18446744073709551615}";
        assertThrows(SolrException.class, () -> add("pages", unsigned));
    }

    @Test
    void aSignatureOfTheTextDeletesCopiesAndOneOfTheFingerprintDeletesMore() throws Exception {
        for (String core : List.of("copies", "equal")) {
            add(
                    core,
                    "{'id': 'first', 'text': '" + TEXT + "'}",
                    "{'id': 'copy', 'text': '" + TEXT + "'}",
                    "{'id': 'capitals', 'text': '" + TEXT.toUpperCase() + "'}",
                    "{'id': 'edited', 'text': '" + TEXT + " Indeed.'}",
                    "{'id': 'signs', 'text': '!?'}",
                    "{'id': 'numbers', 'text': ''}",
                    "{'id': 'missing', 'title': 'a'}",
                    "{'id': 'missing, too', 'title': 'b'}");
        }
        assertEquals(
                new TreeSet<>(
                        List.of("copy", "capitals", "edited", "signs", "numbers", "missing, too")),
                new TreeSet<>(all("copies").keySet()));
        assertEquals(Set.of("capitals", "edited", "missing, too"), all("equal").keySet());

        // A partial update counts as a document without the text.
        add("copies", "{'id': 'edited', 'title': {'set': 'new'}}");
        assertEquals(
                Set.of("copy", "capitals", "edited", "signs", "numbers"), all("copies").keySet());
    }
}
