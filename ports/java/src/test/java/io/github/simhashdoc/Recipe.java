package io.github.simhashdoc;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The descriptions of large texts (PROTOCOL.md, Recipes). */
final class Recipe {
    private Recipe() {}

    /** A text, or its bytes if the recipe asks for them. */
    static Object expand(Object recipe) {
        if (recipe instanceof Map<?, ?> && ((Map<?, ?>) recipe).containsKey("utf8")) {
            return text(((Map<?, ?>) recipe).get("utf8")).getBytes(StandardCharsets.UTF_8);
        }
        return text(recipe);
    }

    private static String text(Object recipe) {
        StringBuilder out = new StringBuilder();
        write(recipe, out);
        return out.toString();
    }

    private static void write(Object recipe, StringBuilder out) {
        if (recipe instanceof String) {
            out.append(recipe);
            return;
        }
        Map<?, ?> members = (Map<?, ?>) recipe;
        if (members.containsKey("repeat")) {
            out.append(
                    ((String) members.get("repeat")).repeat(number(members, "count").intValue()));
        } else if (members.containsKey("words")) {
            words(members, out);
        } else if (members.containsKey("scalars")) {
            scalars(members, out);
        } else {
            for (Object part : (List<?>) members.get("concat")) {
                write(part, out);
            }
        }
    }

    private static Number number(Map<?, ?> members, String name) {
        return (Number) members.get(name);
    }

    private static void words(Map<?, ?> members, StringBuilder out) {
        long state = number(members, "seed").longValue();
        long distinct = number(members, "distinct").longValue();
        int[] letters = ((String) members.get("letters")).codePoints().toArray();
        for (long left = number(members, "words").longValue(); left > 0; left--) {
            state = 6364136223846793005L * state + 1442695040888963407L;
            long n = (state >>> 33) % distinct + 1;
            StringBuilder word = new StringBuilder();
            for (; n > 0; n = (n - 1) / letters.length) {
                word.insert(0, Character.toString(letters[(int) ((n - 1) % letters.length)]));
            }
            out.append(word).append(' ');
        }
    }

    private static void scalars(Map<?, ?> members, StringBuilder out) {
        List<?> ends = (List<?>) members.get("scalars");
        int last = ((Number) ends.get(1)).intValue();
        String template = (String) members.get("template");
        for (int c = ((Number) ends.get(0)).intValue(); c <= last; c++) {
            if (Character.getType(c) != Character.SURROGATE) {
                out.append(template.replace("{}", Character.toString(c)));
            }
        }
    }
}
