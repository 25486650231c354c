package io.github.simhashdoc.integrations;

import io.github.simhashdoc.Fingerprint;
import io.github.simhashdoc.Problem;
import io.github.simhashdoc.Scheme;
import io.github.simhashdoc.Simhash;
import io.github.simhashdoc.SimhashException;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.response.SolrQueryResponse;
import org.apache.solr.update.AddUpdateCommand;
import org.apache.solr.update.processor.UpdateRequestProcessor;
import org.apache.solr.update.processor.UpdateRequestProcessorFactory;

/**
 * Adds the SD256 fingerprint of a field to each document of Solr: its text form, and the terms by
 * which {@link FingerprintIndex} finds it. Parameters: {@code source}, the field of the text;
 * {@code distance}, that of a search; {@code scheme}, whose bits are searched, SD256 if not given;
 * {@code blocks}, one more than the distance if not given.
 */
public final class FingerprintProcessorFactory extends UpdateRequestProcessorFactory {
    private static final String FIELD = "simhash";

    private String source;
    private FingerprintIndex index;

    /** Creates the factory, as Solr does by the name of the class. */
    public FingerprintProcessorFactory() {}

    @Override
    public void init(NamedList<?> arguments) {
        SolrParams parameters = arguments.toSolrParams();
        source = parameters.required().get("source");
        Scheme searched = Scheme.of(parameters.get("scheme", "sd256"));
        int distance = parameters.required().getInt("distance");
        int blocks = parameters.getInt("blocks", distance + 1);
        index = new FingerprintIndex(FIELD, searched, distance, blocks);
    }

    @Override
    public UpdateRequestProcessor getInstance(
            SolrQueryRequest request, SolrQueryResponse response, UpdateRequestProcessor next) {
        return new UpdateRequestProcessor(next) {
            @Override
            public void processAdd(AddUpdateCommand command) throws IOException {
                add(command);
                super.processAdd(command);
            }
        };
    }

    private void add(AddUpdateCommand command) {
        SolrInputDocument document = command.getSolrInputDocument();
        if (!document.containsKey(source)) {
            return; // a partial update of other fields leaves the fingerprint as it is
        }
        document.removeField(FIELD);
        document.removeField(FIELD + "_block");
        if (document.getFieldValue(source) instanceof Map) {
            throw new SolrException(
                    SolrException.ErrorCode.BAD_REQUEST,
                    "document "
                            + command.getPrintableId()
                            + ": partial update of "
                            + source
                            + ", expected the complete document, to compute its fingerprint");
        }
        if (document.getFieldValues(source) == null) {
            return;
        }
        String text =
                document.getFieldValues(source).stream()
                        .filter(Objects::nonNull) // which Solr does not store, either
                        .map(String::valueOf)
                        .collect(Collectors.joining("\n"));
        try {
            Fingerprint fingerprint = Simhash.fingerprint(text, Scheme.SD256);
            document.setField(FIELD, fingerprint.toString());
            document.setField(FIELD + "_block", index.terms(fingerprint));
        } catch (SimhashException error) {
            if (error.problem() != Problem.NO_TOKEN) {
                throw error;
            }
        }
    }
}
