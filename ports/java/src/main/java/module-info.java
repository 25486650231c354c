/** Interoperable similarity fingerprints for documents: simhash-doc, version 1. */
module io.github.simhashdoc {
    exports io.github.simhashdoc;
}
