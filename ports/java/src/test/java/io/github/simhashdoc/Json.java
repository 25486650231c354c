package io.github.simhashdoc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON for the adapter and the tests: maps, lists, strings, numbers, booleans and null. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.space();
        if (json.at != text.length()) {
            throw json.error("the end");
        }
        return value;
    }

    private IllegalArgumentException error(String expected) {
        return new IllegalArgumentException("JSON: " + expected + " expected at position " + at);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skip(char c) {
        space();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!skip(c)) {
            throw error("\"" + c + "\"");
        }
    }

    private Object value() {
        if (skip('{')) {
            return object();
        }
        if (skip('[')) {
            return array();
        }
        if (skip('"')) {
            return string();
        }
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        switch (word) {
            case "true":
                return true;
            case "false":
                return false;
            case "null":
                return null;
            default:
                return number(word);
        }
    }

    private Object number(String word) {
        try {
            if (word.matches("-?[0-9]+")) {
                return word.length() < 19
                        ? (Object) Long.parseLong(word)
                        : new java.math.BigInteger(word);
            }
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw error("a value");
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        while (!skip('}')) {
            if (!members.isEmpty()) {
                expect(',');
            }
            expect('"');
            String name = string();
            expect(':');
            members.put(name, value());
        }
        return members;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        while (!skip(']')) {
            if (!elements.isEmpty()) {
                expect(',');
            }
            elements.add(value());
        }
        return elements;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        while (true) {
            int start = at;
            while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
                at++;
            }
            out.append(text, start, at);
            if (at + 1 >= text.length() && (at >= text.length() || text.charAt(at) == '\\')) {
                throw error("the end of a string");
            }
            if (text.charAt(at++) == '"') {
                return out.toString();
            }
            out.append(escaped());
        }
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int which = "bfnrt".indexOf(c);
        return which < 0 ? c : "\b\f\n\r\t".charAt(which);
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String) {
            writeString((String) value, out);
        } else if (value instanceof Map<?, ?>) {
            char before = '{';
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                write(member.getKey(), out);
                write(member.getValue(), out.append(':'));
                before = ',';
            }
            out.append(before == '{' ? "{}" : "}");
        } else if (value instanceof List<?>) {
            char before = '[';
            for (Object element : (List<?>) value) {
                write(element, out.append(before));
                before = ',';
            }
            out.append(before == '[' ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00").append(c / 16).append(Character.forDigit(c % 16, 16));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
