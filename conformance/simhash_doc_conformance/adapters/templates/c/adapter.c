/* A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

#define NAME "my-simhash"
#define VERSION "0.1"
#define UNICODE "15.0" /* of the NFC that the implementation uses */
#define SCHEMES "[\"sd64\"]"

typedef void (*operation_function)(const char *request);

/* ---- Plug in here ------------------------------------------------------------------------------
 * An operation takes a request and prints one member of the answer: "result":..., "error":NAME with a name
 * of section 14, or "unsupported":true. The operations listed here are declared to the runner. The input
 * of `fingerprint` is "text", or else "bytes", a document's bytes in hexadecimal (supporting them is optional).
 * The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
 * A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
 *
 *     static void fingerprint(const char *request) {
 *         const char *input = json_member(request, "text"), *scheme = json_member(request, "scheme");
 *         if (!input) {
 *             fputs("\"unsupported\":true", stdout);
 *             return;
 *         }
 *         size_t length;
 *         char *text = json_string(input, &length); // UTF-8, length bytes
 *         fputs("\"result\":", stdout);
 *         json_print_string(my_fingerprint(text, length, scheme), strlen("sd64:aaaaaaaaaaaaa"));
 *         free(text);
 *     }
 */
static const struct operation {
    const char *name;
    operation_function function;
} operations[] = {
    /* {"encode", encode}, */
    /* {"decode", decode}, */
    /* {"fingerprint", fingerprint}, */
    {NULL, NULL},
};

/* ---- The protocol ------------------------------------------------------------------------------ */
static void answer_hello(void) {
    printf("{\"protocol\":1,\"name\":\"%s\",\"version\":\"%s\",\"language\":\"C\"", NAME, VERSION);
    printf(",\"unicode\":\"%s\",\"schemes\":%s,\"features\":[],\"operations\":[", UNICODE, SCHEMES);
    for (const struct operation *each = operations; each->name; each++)
        printf("%s\"%s\"", each == operations ? "" : ",", each->name);
    puts("]}");
}

static void answer(const char *request) {
    size_t length;
    char *op = json_string(json_member(request, "op"), &length);
    if (strcmp(op, "hello") == 0) {
        answer_hello();
    } else {
        const struct operation *found = operations;
        while (found->name && strcmp(found->name, op) != 0) found++;
        printf("{\"id\":%lld,", json_integer(json_member(request, "id")));
        if (found->function) found->function(request);
        else fputs("\"unsupported\":true", stdout);
        puts("}");
    }
    free(op);
}

int main(void) {
    for (char *line; (line = json_read_line(stdin)); free(line)) {
        answer(line);
        fflush(stdout);
    }
    return 0;
}
