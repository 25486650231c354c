import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON for the protocol: objects are Maps, arrays Lists, integers Long; text is written in ASCII. */
final class Json {
    private final String source;
    private int at;

    private Json(String source) {
        this.source = source;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> readObject(String line) {
        return (Map<String, Object>) new Json(line).value();
    }

    static String write(Object value) {
        var out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value() {
        switch (peek()) {
            case '{': return object();
            case '[': return array();
            case '"': return string();
            default: return literal();
        }
    }

    private Map<String, Object> object() {
        var members = new LinkedHashMap<String, Object>();
        for (at++; peek() != '}'; skipComma()) {
            peek();
            String name = string();
            if (peek() != ':') throw new IllegalArgumentException("no colon at " + at);
            at++;
            members.put(name, value());
        }
        at++;
        return members;
    }

    private List<Object> array() {
        var items = new ArrayList<Object>();
        for (at++; peek() != ']'; skipComma()) items.add(value());
        at++;
        return items;
    }

    private String string() {
        var text = new StringBuilder();
        for (at++; source.charAt(at) != '"'; at++) {
            char c = source.charAt(at);
            text.append(c == '\\' ? escaped() : c);
        }
        at++;
        return text.toString();
    }

    private char escaped() {
        char c = source.charAt(++at);
        switch (c) {
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'u':
                at += 4; // one UTF-16 unit: a pair of surrogates comes as two escapes
                return (char) Integer.parseInt(source.substring(at - 3, at + 1), 16);
            default: return c;
        }
    }

    private Object literal() {
        int start = at;
        while (at < source.length() && ",]} \t\r".indexOf(source.charAt(at)) < 0) at++;
        String word = source.substring(start, at);
        switch (word) {
            case "true": return true;
            case "false": return false;
            case "null": return null;
            default: return word.matches("-?\\d+") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
        }
    }

    private char peek() {
        while (" \t\r".indexOf(source.charAt(at)) >= 0) at++;
        return source.charAt(at);
    }

    private void skipComma() {
        if (peek() == ',') at++;
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String separator = "{";
            for (var member : ((Map<?, ?>) value).entrySet()) {
                write(member.getKey().toString(), out.append(separator));
                write(member.getValue(), out.append(':'));
                separator = ",";
            }
            out.append(separator.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String separator = "[";
            for (Object item : (List<?>) value) {
                write(item, out.append(separator));
                separator = ",";
            }
            out.append(separator.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            writeString((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c >= ' ' && c < 127) out.append(c);
            else out.append("\\u").append(Integer.toHexString(0x10000 | c).substring(1));
        }
        out.append('"');
    }
}
