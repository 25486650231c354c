package io.github.simhashdoc.integrations;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The guides that show how these classes are used: what they show is what is tested. */
enum Guide {
    PIPELINE("use-in-a-pipeline.md"),
    MIGRATE("migrate.md");

    private final String text;

    Guide(String file) {
        try {
            text = Files.readString(Path.of("../../../docs/how-to", file));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Returns the first match in the text. */
    Matcher find(String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        assertTrue(matcher.find(), pattern);
        return matcher;
    }

    /** Returns the contents of the block that begins with the line. */
    String block(String first) {
        return find("```" + Pattern.quote(first) + "\\n(.*?)```").group(1);
    }
}
