package io.github.simhashdoc.integrations;

import io.github.simhashdoc.Fingerprint;
import java.io.IOException;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.IndexSearcher;

/** The number of bits that a document has in common with a fingerprint, from its doc values. */
final class EqualBits extends DoubleValuesSource {
    private final String field;
    private final Fingerprint fingerprint;

    EqualBits(String field, Fingerprint fingerprint) {
        this.field = field;
        this.fingerprint = fingerprint;
    }

    @Override
    public DoubleValues getValues(LeafReaderContext context, DoubleValues scores)
            throws IOException {
        NumericDocValues[] lanes = new NumericDocValues[fingerprint.scheme().lanes()];
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = DocValues.getNumeric(context.reader(), field + "_" + lane);
        }
        return new DoubleValues() {
            private int equal;

            @Override
            public boolean advanceExact(int document) throws IOException {
                equal = 0;
                for (int lane = 0; lane < lanes.length; lane++) {
                    if (!lanes[lane].advanceExact(document)) {
                        return false;
                    }
                    equal += Long.bitCount(~(lanes[lane].longValue() ^ fingerprint.lane(lane)));
                }
                return true;
            }

            @Override
            public double doubleValue() {
                return equal;
            }
        };
    }

    @Override
    public boolean needsScores() {
        return false;
    }

    @Override
    public DoubleValuesSource rewrite(IndexSearcher searcher) {
        return this;
    }

    @Override
    public boolean isCacheable(LeafReaderContext context) {
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EqualBits
                && field.equals(((EqualBits) other).field)
                && fingerprint.equals(((EqualBits) other).fingerprint);
    }

    @Override
    public int hashCode() {
        return 31 * field.hashCode() + fingerprint.hashCode();
    }

    @Override
    public String toString() {
        return "equalBits(" + field + ", " + fingerprint + ")";
    }
}
