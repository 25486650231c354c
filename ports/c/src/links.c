#include "links.h"

#include <string.h>

enum {
    ALPHA = 1,
    DIGIT = 2,
    HEX = 4,
    UNDERSCORE = 8,
    IN_TAIL = 16,
    IN_SCHEME = 32,
    IN_LABEL = 64,
    IN_MAILBOX = 128,
    WORD = ALPHA | DIGIT | UNDERSCORE,
    ALNUM = IN_TAIL | IN_SCHEME | IN_LABEL | IN_MAILBOX,
    OTHER_LETTER = ALPHA | ALNUM,
    HEX_LETTER = OTHER_LETTER | HEX,
    FIGURE = DIGIT | HEX | ALNUM,
    LONGEST_LABEL = 63,
};

static const uint16_t CLASSES[256] = {
    ['a'] = HEX_LETTER,
    ['b'] = HEX_LETTER,
    ['c'] = HEX_LETTER,
    ['d'] = HEX_LETTER,
    ['e'] = HEX_LETTER,
    ['f'] = HEX_LETTER,
    ['g'] = OTHER_LETTER,
    ['h'] = OTHER_LETTER,
    ['i'] = OTHER_LETTER,
    ['j'] = OTHER_LETTER,
    ['k'] = OTHER_LETTER,
    ['l'] = OTHER_LETTER,
    ['m'] = OTHER_LETTER,
    ['n'] = OTHER_LETTER,
    ['o'] = OTHER_LETTER,
    ['p'] = OTHER_LETTER,
    ['q'] = OTHER_LETTER,
    ['r'] = OTHER_LETTER,
    ['s'] = OTHER_LETTER,
    ['t'] = OTHER_LETTER,
    ['u'] = OTHER_LETTER,
    ['v'] = OTHER_LETTER,
    ['w'] = OTHER_LETTER,
    ['x'] = OTHER_LETTER,
    ['y'] = OTHER_LETTER,
    ['z'] = OTHER_LETTER,
    ['0'] = FIGURE,
    ['1'] = FIGURE,
    ['2'] = FIGURE,
    ['3'] = FIGURE,
    ['4'] = FIGURE,
    ['5'] = FIGURE,
    ['6'] = FIGURE,
    ['7'] = FIGURE,
    ['8'] = FIGURE,
    ['9'] = FIGURE,
    ['_'] = UNDERSCORE | IN_TAIL | IN_MAILBOX,
    ['.'] = IN_TAIL | IN_SCHEME | IN_MAILBOX,
    ['-'] = IN_TAIL | IN_SCHEME | IN_LABEL | IN_MAILBOX,
    ['+'] = IN_TAIL | IN_SCHEME | IN_MAILBOX,
    ['%'] = IN_TAIL | IN_MAILBOX,
    [':'] = IN_TAIL,
    ['@'] = IN_TAIL,
    ['~'] = IN_TAIL,
    ['/'] = IN_TAIL,
    ['?'] = IN_TAIL,
    ['#'] = IN_TAIL,
    ['['] = IN_TAIL,
    [']'] = IN_TAIL,
    ['!'] = IN_TAIL,
    ['$'] = IN_TAIL,
    ['&'] = IN_TAIL,
    ['\''] = IN_TAIL,
    ['('] = IN_TAIL,
    [')'] = IN_TAIL,
    ['*'] = IN_TAIL,
    [','] = IN_TAIL,
    [';'] = IN_TAIL,
    ['='] = IN_TAIL,
};

static bool is(struct place place, unsigned classes) {
    return place.at < place.end && (CLASSES[*place.at] & classes);
}

/* Move over at most `most` characters of some classes; return how many there are. */
static size_t run(struct place *place, size_t most, unsigned classes) {
    size_t count = 0;
    for (; count < most && is(*place, classes); count++) place->at++;
    return count;
}

static bool literal(struct place *place, const char *text) {
    size_t size = strlen(text);
    if ((size_t)(place->end - place->at) < size || memcmp(place->at, text, size) != 0) return false;
    place->at += size;
    return true;
}

static bool url(struct place *place) {
    if (!run(place, 1, ALPHA)) return false;
    run(place, 31, IN_SCHEME);
    return literal(place, "://");
}

static bool named(struct place *place) {
    bool found = literal(place, "doi:") || literal(place, "urn:") || literal(place, "arxiv:") || literal(place, "hdl:");
    return found && run(place, 1, ALPHA | DIGIT);
}

static bool www(struct place *place) {
    return literal(place, "www.") && run(place, LONGEST_LABEL, IN_LABEL) && literal(place, ".");
}

static bool one_label(struct place *place) {
    return literal(place, ".") && run(place, LONGEST_LABEL, IN_LABEL);
}

static bool mail(struct place *place) {
    literal(place, "mailto:");
    if (!run(place, 1, ALPHA | DIGIT)) return false;
    run(place, 63, IN_MAILBOX);
    return literal(place, "@") && run(place, LONGEST_LABEL, IN_LABEL) && one_label(place);
}

static bool doi(struct place *place) {
    if (!literal(place, "10.") || run(place, 9, DIGIT) < 4) return false;
    for (int i = 0; i < 3 && literal(place, "."); i++)
        if (!run(place, 9, DIGIT)) return false;
    return literal(place, "/") && run(place, 1, IN_TAIL);
}

static bool uuid(struct place *place) {
    static const size_t GROUPS[] = {8, 4, 4, 4, 12};
    for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; i++)
        if ((i > 0 && !literal(place, "-")) || run(place, GROUPS[i], HEX) < GROUPS[i]) return false;
    return !is(*place, WORD);
}

static bool digest(struct place *place) {
    return run(place, 128, HEX) >= 32 && !is(*place, WORD);
}

bool sdoc_is_word(struct place place) {
    return is(place, WORD);
}

enum link sdoc_match_link(struct place *place) {
    static const struct {
        bool (*matches)(struct place *);
        enum link then;
    } FORMS[] = {
        {url, SDOC_TAIL}, {named, SDOC_TAIL}, {www, SDOC_TAIL},     {mail, SDOC_LABELS},
        {doi, SDOC_TAIL}, {uuid, SDOC_ENDED}, {digest, SDOC_ENDED},
    };
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        struct place next = *place;
        if (FORMS[i].matches(&next)) {
            *place = next;
            return FORMS[i].then;
        }
    }
    return SDOC_NO_LINK;
}

bool sdoc_continue_link(enum link link, struct place *place) {
    if (link == SDOC_TAIL) {
        while (is(*place, IN_TAIL)) place->at++;
        return place->at < place->end;
    }
    struct place next = *place;
    if (!one_label(&next)) return true;
    *place = next;
    return false;
}
