package io.github.simhashdoc.integrations;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.simhashdoc.Fingerprint;
import io.github.simhashdoc.Scheme;
import io.github.simhashdoc.Simhash;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiDocValues;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.nutch.crawl.SignatureFactory;
import org.apache.nutch.metadata.Metadata;
import org.apache.nutch.metadata.Nutch;
import org.apache.nutch.parse.ParseData;
import org.apache.nutch.parse.ParseImpl;
import org.apache.nutch.util.StringUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The integrations with the classes of their hosts. */
class HostsTest {
    private static final String TEXT = "The tide mill of the bay ground flour for the parish.";

    /** Extreme, random and near fingerprints. */
    private static List<Fingerprint> fingerprints(Scheme scheme) {
        Random random = new Random(7);
        List<Fingerprint> all = new ArrayList<>();
        for (long value : new long[] {0, Long.MIN_VALUE, -1}) {
            all.add(of(scheme, new long[] {value, value, value, value}));
        }
        for (int i = 0; i < 1000; i++) {
            long[] lanes = random.longs(4).toArray();
            all.add(of(scheme, lanes));
            for (int flips = random.nextInt(30); flips > 0; flips--) {
                lanes[random.nextInt(scheme.lanes())] ^= 1L << random.nextInt(64);
            }
            all.add(of(scheme, lanes));
        }
        return all;
    }

    private static Fingerprint of(Scheme scheme, long[] lanes) {
        ByteBuffer bytes = ByteBuffer.allocate(scheme.bits() / 8);
        for (int lane = 0; lane < scheme.lanes(); lane++) {
            bytes.putLong(lanes[lane]);
        }
        return Fingerprint.of(bytes.array(), scheme, true);
    }

    @ParameterizedTest
    @CsvSource({
        "SD64, SD64, 0, 1",
        "SD64, SD64, 3, 4",
        "SD64, SD64, 3, 6",
        "SD64, SD64, 6, 8",
        "SD256, SD256, 20, 21",
        "SD256, SD64, 3, 6"
    })
    void luceneFindsWhatComparingAllFinds(Scheme indexed, Scheme searched, int distance, int blocks)
            throws Exception {
        FingerprintIndex index = new FingerprintIndex("simhash", searched, distance, blocks);
        List<Fingerprint> all = fingerprints(indexed);
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
                for (Fingerprint fingerprint : all) {
                    Document document = new Document();
                    index.add(document, fingerprint);
                    writer.addDocument(document);
                }
                writer.addDocument(new Document()); // of a text without a token
                writer.forceMerge(1); // which keeps the order
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                for (int lane = 0; lane < indexed.lanes(); lane++) {
                    NumericDocValues values =
                            MultiDocValues.getNumericValues(reader, "simhash_" + lane);
                    for (int i = 0; i < all.size(); i++) {
                        assertEquals(i, values.nextDoc());
                        assertEquals(all.get(i).lane(lane), values.longValue());
                    }
                }
                IndexSearcher searcher = new IndexSearcher(reader);
                int beyondItself = 0;
                for (int i = 0; i < all.size(); i += i < 3 ? 1 : 20) {
                    Map<Integer, Integer> expected = new HashMap<>();
                    Fingerprint query = all.get(i).narrow(searched);
                    for (int other = 0; other < all.size(); other++) {
                        int bits = query.distance(all.get(other).narrow(searched));
                        if (bits <= distance) {
                            expected.put(other, bits);
                        }
                    }
                    beyondItself += expected.size() - 1;
                    Map<Integer, Integer> found = new HashMap<>();
                    for (ScoreDoc hit : searcher.search(index.near(query), all.size()).scoreDocs) {
                        found.put(hit.doc, searched.bits() - (int) hit.score);
                    }
                    assertEquals(expected, found);
                    int all256 = searcher.count(index.within(all.get(i), indexed.bits()));
                    assertEquals(all.size(), all256);
                }
                assertTrue(beyondItself > 0);
            }
        }
    }

    @Test
    void aBlockIsMissingInNoFingerprintWithinTheDistance() {
        for (int blocks : new int[] {3, 65}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new FingerprintIndex("f", Scheme.SD64, 3, blocks));
        }
        Fingerprint fingerprint = of(Scheme.SD64, new long[] {0xFEDC_BA98_7654_0010L});
        assertEquals(
                List.of("0_fedc", "1_ba98", "2_7654", "3_10"),
                new FingerprintIndex("f", Scheme.SD64, 3, 4).terms(fingerprint));
        assertEquals(
                List.of(
                        "0_fedcba98",
                        "1_fedc7654",
                        "2_fedc0010",
                        "3_ba987654",
                        "4_ba980010",
                        "5_76540010"),
                new FingerprintIndex("f", Scheme.SD64, 2, 4).terms(fingerprint));
    }

    @Test
    void thePageHasThisExample() throws Exception {
        String text = TEXT;
        Fingerprint query = Simhash.fingerprint(TEXT, Scheme.SD256);
        Document document = new Document();
        // page
        FingerprintIndex index = new FingerprintIndex("simhash", Scheme.SD256, 20, 21);
        index.add(document, Simhash.fingerprint(text, Scheme.SD256));
        // end
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
                writer.addDocument(document);
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                // page
                TopDocs near = searcher.search(index.near(query), 10);
                // end
                assertEquals(256, near.scoreDocs[0].score);
                Query confirmed =
                        new BooleanQuery.Builder()
                                .add(index.near(query), BooleanClause.Occur.MUST)
                                .add(index.within(query, 20), BooleanClause.Occur.FILTER)
                                .build();
                assertEquals(256, searcher.search(confirmed, 10).scoreDocs[0].score);
            }
        }
        String source =
                Files.readString(
                        Path.of("src/test/java/io/github/simhashdoc/integrations/HostsTest.java"));
        StringBuilder expected = new StringBuilder();
        Matcher parts = Pattern.compile("// page\\n(.*?)// end\\n", Pattern.DOTALL).matcher(source);
        while (parts.find()) {
            expected.append(parts.group(1));
        }
        String block = Guide.PIPELINE.block("java").replaceAll("  //.*", "");
        assertEquals(expected.toString().replaceAll("\\s", ""), block.replaceAll("\\s", ""));
    }

    @Test
    void nutchGetsTheBytesOrNoSignature() throws Exception {
        Configuration configuration = new Configuration(false);
        Matcher property =
                Guide.PIPELINE.find("<name>([\\w.]+)</name>\\s*<value>([\\w.]+)</value>");
        configuration.set(property.group(1), property.group(2));
        var signature = SignatureFactory.getSignature(configuration);
        assertArrayEquals(
                Simhash.fingerprint(TEXT, Scheme.SD256).toBytes(),
                signature.calculate(null, new ParseImpl(TEXT, new ParseData())));
        for (String text : new String[] {null, "", "!?"}) {
            assertNull(signature.calculate(null, new ParseImpl(text, new ParseData())));
        }
        // Nutch writes the signature to the metadata of a segment, and reads it from there.
        Metadata written = new Metadata();
        written.set(Nutch.SIGNATURE_KEY, StringUtil.toHexString(null));
        DataOutputBuffer bytes = new DataOutputBuffer();
        written.write(bytes);
        DataInputBuffer input = new DataInputBuffer();
        input.reset(bytes.getData(), bytes.getLength());
        Metadata read = new Metadata();
        read.readFields(input);
        assertNull(read.get(Nutch.SIGNATURE_KEY));
    }
}
