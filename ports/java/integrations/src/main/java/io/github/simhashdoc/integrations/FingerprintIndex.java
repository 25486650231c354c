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
 * Fingerprints in an index of Lucene. The bits are cut into blocks, and each choice of so many
 * blocks less the distance is a term: fingerprints within the distance have at least one in common.
 * Doc values hold the lanes, which confirm what the terms find.
 *
 * <p>Every document with a common term is compared, so a query takes longer in a larger index, and
 * less long with more blocks, which take more terms. docs/how-to/use-in-a-pipeline.md has numbers.
 */
public final class FingerprintIndex {
    private final String field;
    private final Scheme scheme;
    private final int distance;
    private final int blocks;

    /**
     * Creates the description of an index.
     *
     * @param field the beginning of the names of its fields: of {@code simhash}, the terms are in
     *     {@code simhash_block}, and the lanes in {@code simhash_0} and so on
     * @param scheme the scheme that is searched; indexed fingerprints may be wider
     * @param distance the largest distance of a search, in bits of the scheme
     * @param blocks the number of blocks, over the distance: one more gives the fewest terms
     */
    public FingerprintIndex(String field, Scheme scheme, int distance, int blocks) {
        if (distance < 0 || distance >= blocks || blocks > scheme.bits()) {
            throw new IllegalArgumentException(
                    "distance "
                            + distance
                            + " with "
                            + blocks
                            + " blocks, expected 0 <= distance < blocks <= "
                            + scheme.bits());
        }
        this.field = field;
        this.scheme = scheme;
        this.distance = distance;
        this.blocks = blocks;
    }

    /**
     * Adds the fields of a fingerprint to a document.
     *
     * @param document the document
     * @param fingerprint a fingerprint of the scheme, or of a wider one, whose lanes are all kept
     */
    public void add(Document document, Fingerprint fingerprint) {
        for (String term : terms(fingerprint)) {
            document.add(new StringField(field + "_block", term, Field.Store.NO));
        }
        for (int lane = 0; lane < fingerprint.scheme().lanes(); lane++) {
            document.add(new NumericDocValuesField(field + "_" + lane, fingerprint.lane(lane)));
        }
    }

    /**
     * Returns the terms of a fingerprint.
     *
     * @param fingerprint a fingerprint of the scheme, or of a wider one
     * @return for each choice of blocks, from the most significant on: its number, {@code _}, and
     *     the bits of the blocks in hexadecimal
     */
    public List<String> terms(Fingerprint fingerprint) {
        BigInteger bits = new BigInteger(1, fingerprint.narrow(scheme).toBytes());
        List<String> terms = new ArrayList<>();
        addTerms(terms, bits, 0, blocks - distance, BigInteger.ZERO);
        return terms;
    }

    /**
     * Adds the terms whose next block is at least {@code first}; {@code chosen} are those before.
     */
    private void addTerms(
            List<String> terms, BigInteger bits, int first, int missing, BigInteger chosen) {
        if (missing == 0) {
            terms.add(terms.size() + "_" + chosen.toString(16));
            return;
        }
        for (int block = first; block <= blocks - missing; block++) {
            int begin = block * scheme.bits() / blocks;
            int end = (block + 1) * scheme.bits() / blocks;
            BigInteger mask = BigInteger.ONE.shiftLeft(end - begin).subtract(BigInteger.ONE);
            BigInteger part = bits.shiftRight(scheme.bits() - end).and(mask);
            addTerms(terms, bits, block + 1, missing - 1, chosen.shiftLeft(end - begin).or(part));
        }
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
                terms(fingerprint).stream().map(BytesRef::new).collect(Collectors.toList());
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
