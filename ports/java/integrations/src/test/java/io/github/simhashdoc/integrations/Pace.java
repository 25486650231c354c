package io.github.simhashdoc.integrations;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.nutch.crawl.MD5Signature;
import org.apache.nutch.crawl.Signature;
import org.apache.nutch.crawl.TextProfileSignature;
import org.apache.nutch.parse.ParseData;
import org.apache.nutch.parse.ParseImpl;
import org.apache.nutch.protocol.Content;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.params.ModifiableSolrParams;

/**
 * The pace of the classes in a host, with the texts in the lines of the input: benchmarks/hosts.py.
 */
public final class Pace {
    private static final int WARMING = 3; // passes: the third takes a third of the first
    private static final int PASSES = 3;

    /** Passes texts through a host; returns how many are kept, null if nothing is dropped. */
    private interface Work {
        Integer pass(List<String> texts) throws Exception;
    }

    private Pace() {}

    /**
     * Prints a row of JSON for each step of a host.
     *
     * @param arguments the host, {@code nutch} or {@code solr}, and an empty folder for the latter
     * @throws Exception if the host does
     */
    public static void main(String[] arguments) throws Exception {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<String> texts = input.lines().collect(Collectors.toList());
        if (arguments[0].equals("nutch")) {
            print("nutch", nutch(), texts);
            return;
        }
        Path home = Path.of(arguments[1]);
        try (EmbeddedSolrServer solr = start(home)) {
            print("solr", solr(solr), texts);
        }
    }

    private static void print(String host, Map<String, Work> works, List<String> texts)
            throws Exception {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Map<String, long[]> times = new LinkedHashMap<>();
        Map<String, Integer> kept = new LinkedHashMap<>();
        for (int pass = -WARMING; pass < PASSES; pass++) {
            for (Map.Entry<String, Work> step : works.entrySet()) {
                long begun = system.getProcessCpuTime();
                kept.put(step.getKey(), step.getValue().pass(texts));
                long time = system.getProcessCpuTime() - begun;
                if (pass >= 0) {
                    times.computeIfAbsent(step.getKey(), name -> new long[PASSES])[pass] = time;
                }
            }
        }
        times.forEach(
                (name, each) -> {
                    Arrays.sort(each);
                    System.out.printf(
                            "{\"host\": \"%s\", \"step\": \"%s\", \"texts\": %d, \"kept\": %s}%n",
                            host,
                            name,
                            texts.size() * 1_000_000_000L / each[PASSES / 2],
                            kept.get(name));
                });
    }

    /** Starts cores with the chain of the guide, without its processor, and with one of Solr. */
    private static EmbeddedSolrServer start(Path home) throws Exception {
        String chain = Guide.PIPELINE.block("xml title=\"solrconfig.xml\"");
        String ours =
                chain.substring(
                        chain.indexOf("<processor"), chain.indexOf("<processor class=\"solr.Log"));
        String theirs =
                Guide.MIGRATE
                        .block("xml title=\"Exact copies in Solr\"")
                        .replace("MD5Signature", "TextProfileSignature");
        String fields = Guide.PIPELINE.block("xml title=\"The fields in the schema\"");
        SolrCoreTest.writeCore(home, "alone", chain.replace(ours, ""), fields);
        SolrCoreTest.writeCore(home, "ours", chain, fields);
        SolrCoreTest.writeCore(home, "theirs", chain.replace(ours, theirs), fields);
        Files.writeString(home.resolve("solr.xml"), "<solr/>");
        return new EmbeddedSolrServer(home, "alone");
    }

    private static Map<String, Work> solr(EmbeddedSolrServer solr) {
        Map<String, Work> works = new LinkedHashMap<>();
        works.put("own: add documents", texts -> add(solr, "alone", texts));
        works.put("FingerprintProcessorFactory", texts -> add(solr, "ours", texts));
        works.put("own: TextProfileSignature, overwriteDupes", texts -> add(solr, "theirs", texts));
        return works;
    }

    private static Integer add(EmbeddedSolrServer solr, String core, List<String> texts)
            throws Exception {
        solr.deleteByQuery(core, "*:*");
        for (int begin = 0; begin < texts.size(); begin += 1000) {
            List<SolrInputDocument> documents = new ArrayList<>();
            for (String text : texts.subList(begin, Math.min(begin + 1000, texts.size()))) {
                String id = begin + "_" + documents.size();
                documents.add(new SolrInputDocument("id", id, "text", text));
            }
            solr.add(core, documents);
        }
        solr.commit(core);
        var every = new ModifiableSolrParams().set("q", "*:*").set("rows", 0);
        int kept = (int) solr.query(core, every).getResults().getNumFound();
        return core.equals("theirs") ? kept : null;
    }

    private static Map<String, Work> nutch() {
        Map<String, Work> works = new LinkedHashMap<>();
        works.put("FingerprintSignature", texts -> distinct(new FingerprintSignature(), texts));
        works.put("own: MD5Signature", texts -> distinct(new MD5Signature(), texts));
        works.put(
                "own: TextProfileSignature", texts -> distinct(new TextProfileSignature(), texts));
        return works;
    }

    private static Integer distinct(Signature signature, List<String> texts) {
        signature.setConf(new Configuration(false));
        Set<Object> found = new HashSet<>();
        for (String text : texts) {
            Content content = new Content();
            content.setContent(text.getBytes(StandardCharsets.UTF_8));
            byte[] value = signature.calculate(content, new ParseImpl(text, new ParseData()));
            found.add(value == null ? text : ByteBuffer.wrap(value)); // dedup leaves null alone
        }
        return found.size();
    }
}
