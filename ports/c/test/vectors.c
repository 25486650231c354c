/* Run all test vectors but those of the class extract, and trace their documents: vectors FILE... */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "document.h"
#include "operations.h"

enum { MOST_TRACED = 65536 };

static unsigned long cases, failures;

static int compare(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Write a list as JSON in the order of its elements' JSON; its elements are written in this way, too, to a depth. */
static void put_sorted(struct output *output, const struct json *list, int depth) {
    if (list->type != JSON_ARRAY || depth == 0) {
        put_json(output, list);
        return;
    }
    size_t size = 0;
    for (const struct json *element = list->child; element; element = element->next) size++;
    char **elements = calloc(size + 1, sizeof *elements);
    if (!elements) abort();
    size = 0;
    for (const struct json *element = list->child; element; element = element->next) {
        struct output one = {0};
        put_sorted(&one, element, depth - 1);
        elements[size++] = one.bytes;
    }
    if (size > 0) qsort(elements, size, sizeof *elements, compare);
    put(output, "[");
    for (size_t i = 0; i < size; i++) {
        put(output, elements[i]);
        put(output, ",");
        free(elements[i]);
    }
    put(output, "]");
    free(elements);
}

static void put_numbers(struct output *output, const struct json *answer) {
    const struct json *result = json_member(answer, "result");
    char similarity[40];
    put_json(output, json_member(result, "distance"));
    snprintf(similarity, sizeof similarity, " %.17g", strtod(json_member(result, "similarity")->text.bytes, NULL));
    put(output, similarity);
}

static void put_trace(struct output *output, const struct json *steps) {
    static const char *const NAMES[] = {"folded", "prepared", "buckets", "fingerprint", "error"};
    put_sorted(output, json_member(steps, "tokens"), 1);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        put(output, " ");
        if (json_member(steps, NAMES[i])) put_json(output, json_member(steps, NAMES[i]));
    }
}

/* Write an answer so that equal answers are equal texts. */
static void put_comparable(struct output *output, const struct json *operation, const struct json *answer) {
    const struct json *result = json_member(answer, "result");
    output->size = 0;
    if (!result) {
        put_json(output, answer);
    } else if (json_is(operation, "distance")) {
        put_numbers(output, answer);
    } else if (json_is(operation, "trace")) {
        put_trace(output, result);
    } else if (json_is(operation, "query")) {
        for (const struct json *ids = result->child; ids; ids = ids->next) put_sorted(output, ids, 1);
    } else if (json_is(operation, "update")) {
        for (const struct json *step = result->child; step; step = step->next) {
            put(output, "step ");
            for (const struct json *ids = step->child; ids; ids = ids->next) put_sorted(output, ids, 1);
        }
    } else {
        put_sorted(output, result, json_is(operation, "find_all") ? 2 : json_is(operation, "tokens"));
    }
}

static struct json *answer_to(const struct json *operation, const struct json *input) {
    struct output answer = {0};
    put(&answer, "{");
    put_answer(&answer, operation, input);
    put(&answer, "}");
    struct json *read = json_parse(answer.bytes, answer.size);
    free(answer.bytes);
    return read;
}

static void check(const struct json *vector, const struct json *operation, const struct json *input,
                  const struct json *expected) {
    static struct output right, given;
    struct json *answer = answer_to(operation, input);
    put_comparable(&right, operation, expected);
    put_comparable(&given, operation, answer);
    if (strcmp(right.bytes, given.bytes) != 0) {
        failures++;
        printf("%s: %.300s instead of %.300s\n", json_member(vector, "id")->text.bytes, given.bytes, right.bytes);
    }
    json_free(answer);
}

/* Compare the answer for another document, and its cuts, in place of those of the input. */
static void check_same(const struct json *vector, const struct json *operation, const struct json *input,
                       const struct json *document) {
    struct json *first = json_member(vector, "expected")->child ? NULL : answer_to(operation, input);
    const struct json *expected = first ? first : json_member(vector, "expected");
    struct output request = {0};
    for (const struct json *member = document->child; member; member = member->next) {
        put(&request, request.size ? "," : "{");
        put_string(&request, member->name.bytes, member->name.size);
        put(&request, ":");
        put_json(&request, member);
    }
    for (const struct json *member = input->child; member; member = member->next) {
        const char *name = member->name.bytes;
        if (!strcmp(name, "text") || !strcmp(name, "bytes") || !strcmp(name, "recipe")) continue;
        if (json_member(document, name)) continue;
        put(&request, ",");
        put_string(&request, name, member->name.size);
        put(&request, ":");
        put_json(&request, member);
    }
    put(&request, "}");
    struct json *other = json_parse(request.bytes, request.size);
    check(vector, operation, other, expected);
    json_free(other);
    json_free(first);
    free(request.bytes);
}

/* Trace a document, unless it is large, which takes long under valgrind. */
static void trace(const struct json *operation, const struct json *input) {
    static const char *const NAMES[] = {"fingerprint", "fold", "tokens", "buckets"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (!json_is(operation, NAMES[i])) continue;
        struct output document = document_of(input);
        if (document.size < MOST_TRACED) {
            check_trace((const uint8_t *)document.bytes, document.size, SIMHASH_DOC_SD64);
            check_memory((const uint8_t *)document.bytes, document.size, SIMHASH_DOC_SD64);
        }
        free(document.bytes);
    }
}

static void run(const struct json *vector) {
    const struct json *operation = json_member(vector, "op"), *input = json_member(vector, "input");
    const struct json *same = json_member(vector, "same");
    if (json_is(operation, "extract")) return;
    if (json_member(input, "cuts") && json_member(input, "utf16")) return; /* pieces are bytes */
    if (json_member(input, "digest")) return; /* the runner creates the entries and digests the answer */
    cases++;
    trace(operation, input);
    if (json_member(vector, "expected")->child) check(vector, operation, input, json_member(vector, "expected"));
    for (const struct json *document = same ? same->child : NULL; document; document = document->next)
        check_same(vector, operation, input, document);
}

/* The order of the errors of narrowing: the scheme, the text form, the widths. */
static void check_narrowing(void) {
    static const char *const CASES[][3] = {
        {"sd65:=", "SD64", "\"error\":\"unknown-scheme\""},
        {"sd128:=", "sd64+custom", "\"error\":\"unknown-scheme\""},
        {"sd65:=", "sd128", "\"error\":\"unknown-scheme\""},
        {"sd64:1=", "sd128", "\"error\":\"padding\""},
        {"sd64:1", "sd128", "\"error\":\"bad-character\""},
        {"aaaa", "sd128", "\"error\":\"bad-length\""},
        {"aaaaaaaaaaaab", "sd128", "\"error\":\"spare-bits\""},
        {"sd64+custom:aaaaaaaaaaaaa", "sd128", "\"error\":\"scheme-mismatch\""},
        {"SD128+Custom:7777777777777777777777777y", "sd64", "\"result\":\"sd64+custom:7777777777776\""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[200];
        int size = snprintf(text, sizeof text, "{\"op\":\"narrow\",\"text\":\"%s\",\"scheme\":\"%s\"}", CASES[i][0],
                            CASES[i][1]);
        struct json *request = json_parse(text, (size_t)size);
        struct output answer = {0};
        put_answer(&answer, json_member(request, "op"), request);
        if (strcmp(answer.bytes, CASES[i][2]) != 0) {
            failures++;
            printf("%s: %s instead of %s\n", text, answer.bytes, CASES[i][2]);
        }
        json_free(request);
        free(answer.bytes);
    }
}

static struct output read_file(const char *name) {
    struct output content = {0};
    char part[65536];
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(2);
    }
    for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0;) put_bytes(&content, part, size);
    fclose(file);
    return content;
}

int main(int count, char **arguments) {
    check_narrowing();
    for (int i = 1; i < count; i++) {
        struct output content = read_file(arguments[i]);
        struct json *file = json_parse(content.bytes, content.size);
        for (const struct json *vector = json_member(file, "cases")->child; vector; vector = vector->next) run(vector);
        json_free(file);
        free(content.bytes);
    }
    printf("%lu cases, %lu failures\n", cases, failures);
    return failures > 0 || cases < 3000;
}
