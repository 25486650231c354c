/* Answers the requests of the conformance runner on standard input (PROTOCOL.md). */
#include <stdlib.h>

#include "operations.h"
#include "simhash_doc.h"

/* Read a line without its end; return false at the end of the input. */
static bool read_line(struct output *line) {
    char part[65536];
    line->size = 0;
    while (fgets(part, sizeof part, stdin)) {
        put(line, part);
        if (line->bytes[line->size - 1] == '\n') return true;
    }
    return line->size > 0;
}

static void put_hello(struct output *output) {
    put(output, "{\"protocol\":1,\"name\":\"simhash-doc-c\",\"version\":\"" SIMHASH_DOC_VERSION
                "\",\"language\":\"C\",\"unicode\":\"15.0.0\",\"operations\":");
    put(output, OPERATION_NAMES);
    put(output,
        ",\"schemes\":[\"sd64\",\"sd128\",\"sd256\",\"sd512\"],\"features\":[\"surrogates\",\"digest\",\"recipes\","
        "\"cuts\"]}");
}

int main(void) {
    struct output line = {0}, answer = {0};
    while (read_line(&line)) {
        struct json *request = json_parse(line.bytes, line.size);
        const struct json *operation = json_member(request, "op");
        answer.size = 0;
        if (json_is(operation, "hello")) {
            put_hello(&answer);
        } else {
            put(&answer, "{\"id\":");
            put_json(&answer, json_member(request, "id"));
            put(&answer, ",");
            put_answer(&answer, operation, request);
            put(&answer, "}");
        }
        json_free(request);
        puts(answer.bytes);
        fflush(stdout);
    }
    free(line.bytes);
    free(answer.bytes);
}
