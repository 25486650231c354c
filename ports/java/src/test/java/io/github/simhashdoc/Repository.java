package io.github.simhashdoc;

import java.nio.file.Path;

/** Where the tests find the specification, its data and the test vectors. */
final class Repository {
    private static final Path ROOT = Path.of(System.getProperty("simhashdoc.repository", "../.."));

    static final Path SPECIFICATION = ROOT.resolve("spec");
    static final Path DATA = SPECIFICATION.resolve("data");
    static final Path VECTORS = ROOT.resolve("conformance/vectors");

    private Repository() {}
}
