package io.github.simhashdoc.integrations;

import io.github.simhashdoc.Fingerprint;
import io.github.simhashdoc.Scheme;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.queries.function.FunctionMatchQuery;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.util.BytesRef;

/**
 * Fingerprints in an index of Lucene. The bits are cut into one block more than the distance, and
 * each block is a term: fingerprints within the distance have at least one in common. Doc values
 * hold the lanes, which confirm what the terms find.
 *
 * <p>Every document with a common term is compared, so a query takes longer in a larger index:
 * docs/how-to/use-in-a-pipeline.md has their numbers, and keys for more than 10^7 documents, whose
 * matches {@link #within} confirms.
 */
public final class FingerprintIndex {
    private final String field;
    private final Scheme scheme;
    private final int distance;

    /**
     * Creates the description of an index.
     *
     * @param field the beginning of the names of its fields: of {@code simhash}, the terms are in
     *     {@code simhash_block}, and the lanes in {@code simhash_0} and so on
     * @param scheme the scheme that is searched; indexed fingerprints may be wider
     * @param distance the largest distance of a search, in bits of the scheme
     */
    public FingerprintIndex(String field, Scheme scheme, int distance) {
        if (distance < 0 || distance >= scheme.bits()) {
            throw new IllegalArgumentException(
                    "distance " + distance + ", expected 0 to " + (scheme.bits() - 1));
        }
        this.field = field;
        this.scheme = scheme;
        this.distance = distance;
    }

    /**
     * Adds the fields of a fingerprint to a document.
     *
     * @param document the document
     * @param fingerprint a fingerprint of the scheme, or of a wider one, whose lanes are all kept
     */
    public void add(Document document, Fingerprint fingerprint) {
        for (String block : blocks(fingerprint)) {
            document.add(new StringField(field + "_block", block, Field.Store.NO));
        }
        for (int lane = 0; lane < fingerprint.scheme().lanes(); lane++) {
            document.add(new NumericDocValuesField(field + "_" + lane, fingerprint.lane(lane)));
        }
    }

    /**
     * Returns the terms of a fingerprint.
     *
     * @param fingerprint a fingerprint of the scheme, or of a wider one
     * @return the blocks, from the most significant bits on, each with its number
     */
    public List<String> blocks(Fingerprint fingerprint) {
        BigInteger bits = new BigInteger(1, fingerprint.narrow(scheme).toBytes());
        List<String> blocks = new ArrayList<>();
        int end = 0;
        for (int block = 0; block <= distance; block++) {
            int begin = end;
            end = (block + 1) * scheme.bits() / (distance + 1);
            BigInteger mask = BigInteger.ONE.shiftLeft(end - begin).subtract(BigInteger.ONE);
            String digits = bits.shiftRight(scheme.bits() - end).and(mask).toString(16);
            blocks.add(block + "_" + digits);
        }
        return blocks;
    }

    /**
     * Returns a query for all documents within the distance. The score of a document is the number
     * of equal bits, so the nearest come first, and its distance is the bits less the score.
     *
     * @param fingerprint a fingerprint of the scheme, or of a wider one
     * @return the query
     */
    public Query near(Fingerprint fingerprint) {
        List<BytesRef> terms =
                blocks(fingerprint).stream().map(BytesRef::new).collect(Collectors.toList());
        EqualBits equal = new EqualBits(field, fingerprint.narrow(scheme));
        Query candidates = new TermInSetQuery(field + "_block", terms);
        Query near =
                new BooleanQuery.Builder()
                        .add(candidates, BooleanClause.Occur.FILTER)
                        .add(
                                within(fingerprint.narrow(scheme), distance),
                                BooleanClause.Occur.FILTER)
                        .build();
        return new FunctionScoreQuery(near, equal);
    }

    /**
     * Returns a query that compares with every document: to confirm what another one finds.
     *
     * @param fingerprint a fingerprint, of the scheme of the indexed ones at most
     * @param distance the largest distance, in bits of its scheme
     * @return the query
     */
    public Query within(Fingerprint fingerprint, int distance) {
        int fewest = fingerprint.scheme().bits() - distance;
        return new FunctionMatchQuery(new EqualBits(field, fingerprint), bits -> bits >= fewest);
    }
}
