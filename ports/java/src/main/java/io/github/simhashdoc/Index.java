package io.github.simhashdoc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An exact index of fingerprints of one scheme (search.md). It compares with every entry, which
 * takes about a millisecond for a million entries of {@link Scheme#SD64}.
 */
public final class Index {
    private final Scheme scheme;
    private final int lanes;
    private final List<String> ids = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private long[] values = new long[16];

    /**
     * Makes an empty index.
     *
     * @param scheme the scheme of all entries and queries
     */
    public Index(Scheme scheme) {
        this.scheme = scheme;
        this.lanes = scheme.lanes();
    }

    /** Two entries within the distance. */
    public static final class Pair {
        private final String first;
        private final String second;

        Pair(String first, String second) {
            this.first = first;
            this.second = second;
        }

        /**
         * Returns the id of one entry.
         *
         * @return its id
         */
        public String first() {
            return first;
        }

        /**
         * Returns the id of the other entry.
         *
         * @return its id
         */
        public String second() {
            return second;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Pair
                    && first.equals(((Pair) other).first)
                    && second.equals(((Pair) other).second);
        }

        @Override
        public int hashCode() {
            return 31 * first.hashCode() + second.hashCode();
        }

        @Override
        public String toString() {
            return "[" + first + ", " + second + "]";
        }
    }

    /**
     * Adds an entry.
     *
     * @param id the id, which no other entry has
     * @param fingerprint the fingerprint, canonical or customised
     * @throws SimhashException {@link Problem#SCHEME_MISMATCH} if it is of another scheme
     * @throws IllegalArgumentException if there is an entry with this id
     */
    public void add(String id, Fingerprint fingerprint) {
        check(fingerprint);
        if (places.putIfAbsent(id, ids.size()) != null) {
            throw new IllegalArgumentException("the id \"" + id + "\" is in the index already");
        }
        int at = ids.size() * lanes;
        if (values.length - at < lanes) {
            values = Arrays.copyOf(values, Limits.grown(values.length, (long) at + lanes));
        }
        for (int lane = 0; lane < lanes; lane++) {
            values[at + lane] = fingerprint.lane(lane);
        }
        ids.add(id);
    }

    /**
     * Removes an entry. The last one takes its place.
     *
     * @param id the id of the entry
     * @throws IllegalArgumentException if there is no entry with this id
     */
    public void remove(String id) {
        Integer place = places.remove(id);
        if (place == null) {
            throw new IllegalArgumentException("the id \"" + id + "\" is not in the index");
        }
        int end = ids.size() - 1;
        String last = ids.remove(end);
        if (place < end) {
            ids.set(place, last);
            places.put(last, place);
            System.arraycopy(values, end * lanes, values, place * lanes, lanes);
        }
    }

    /**
     * Returns the number of entries.
     *
     * @return the number
     */
    public int size() {
        return ids.size();
    }

    /**
     * Returns the ids of all entries within a distance of a fingerprint.
     *
     * @param fingerprint the fingerprint
     * @param distance the largest distance, at least 0
     * @return the ids, in the order in which they were added if none was removed
     * @throws SimhashException {@link Problem#SCHEME_MISMATCH} if it is of another scheme
     * @throws IllegalArgumentException if the distance is negative
     */
    public List<String> query(Fingerprint fingerprint, int distance) {
        check(fingerprint);
        check(distance);
        long[] value = new long[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            value[lane] = fingerprint.lane(lane);
        }
        List<String> found = new ArrayList<>();
        for (int entry = 0; entry < ids.size(); entry++) {
            if (distance(value, 0, entry) <= distance) {
                found.add(ids.get(entry));
            }
        }
        return found;
    }

    /**
     * Returns all pairs of entries within a distance of each other. The time is quadratic.
     *
     * @param distance the largest distance, at least 0
     * @return the pairs, each once
     * @throws IllegalArgumentException if the distance is negative
     */
    public List<Pair> pairs(int distance) {
        check(distance);
        List<Pair> found = new ArrayList<>();
        for (int first = 0; first < ids.size(); first++) {
            for (int second = first + 1; second < ids.size(); second++) {
                if (distance(values, first, second) <= distance) {
                    found.add(new Pair(ids.get(first), ids.get(second)));
                }
            }
        }
        return found;
    }

    private int distance(long[] others, int other, int entry) {
        int distance = 0;
        for (int lane = 0; lane < lanes; lane++) {
            distance += Long.bitCount(others[other * lanes + lane] ^ values[entry * lanes + lane]);
        }
        return distance;
    }

    private void check(Fingerprint fingerprint) {
        if (fingerprint.scheme() != scheme) {
            throw new SimhashException(
                    Problem.SCHEME_MISMATCH,
                    fingerprint.scheme().id() + " instead of " + scheme.id());
        }
    }

    private static void check(int distance) {
        if (distance < 0) {
            throw new IllegalArgumentException("a distance is at least 0, not " + distance);
        }
    }
}
