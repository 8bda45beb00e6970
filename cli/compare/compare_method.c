/* Methods. Each becomes the words that 'zilch optimize' would be asked for it in, and the parser of that
 * command reads them: whatever a search can be told, a method can be. What would make methods
 * incomparable is refused. */
#include "compare/compare.h"

#include "compare/compare_shared.h"
#include "options/suggest.h"
#include "terminal/cli.h"

#include <stdlib.h>
#include <string.h>

static const char command[] = "compare";

/* ---- Names in messages ------------------------------------------------------------ */

void compare_name_method(const char *name)
{
    static char both[128];
    snprintf(both, sizeof both, "%s: method '%.90s'", command, name ? name : "");
    cli_set_command(name ? both : command);
}

/* ---- Cutting ---------------------------------------------------------------------- */

/* The next part of a list up to a separator, to be freed: NULL without memory. Behind a backslash a
 * separator is none; `is_last` cut takes the backslashes away. *list goes behind the separator, to NULL at
 * the end. */
static char *cut(const char **list, char separator, int is_last)
{
    char *part = malloc(strlen(*list) + 1);
    char *to = part;
    const char *from = *list;
    if (!part) {
        return NULL;
    }
    for (; *from && *from != separator; from++) {
        if (*from == '\\' && from[1]) {
            from++;
            *to = '\\';
            to += !is_last;
        }
        *to++ = *from;
    }
    *to = '\0';
    *list = *from ? from + 1 : NULL;
    return part;
}

static size_t count_parts(const char *list, char separator)
{
    size_t count = 1;
    for (; *list; list++) {
        if (*list == '\\' && list[1]) {
            list++;
        } else {
            count += *list == separator;
        }
    }
    return count;
}

/* ---- What a method must not say --------------------------------------------------- */

typedef struct refusal {
    const char *name, *remedy;
} refusal;

static const char for_all[] = "is the same for all methods; give it to 'zilch compare' itself";
static const char budget[] =
    "all methods have the same budget; give --generations or --evaluations to 'zilch compare' itself";
static const char world[] = "is a part of the problem; give --problem 'lander:NAME=VALUE' to 'zilch compare'";

/* Without a remedy, a method may say it. */
static const refusal refused[] = {
#define X(constant, name, about, is_expert, is_fixed) {(name), (is_fixed) ? for_all : NULL},
    COMPARE_SHARED_LIST(X)
#undef X
        {"jobs", for_all},
    {"gravity", world},
    {"wind", world},
    {"wind-power", world},
    {"turbulence-power", world},
    {"seed", "every method is run with the same seeds; give --seed and --seeds to 'zilch compare' itself"},
    {"generations", for_all},
    {"evaluations", for_all},
    {"threads", for_all},
    {"held-out", for_all},
    {"stagnation", budget},
    {"time", budget},
    {"target", "runs go on to the end of the budget; --targets of 'zilch compare' says when they got there"},
    {"study", for_all},
    {"json", for_all},
    {"verbose", "is for 'zilch optimize'; 'zilch show STUDY --run N' prints the settings of a run"},
    {"progress", for_all},
    {"quiet", for_all},
    {"help", "write 'zilch optimize --help'"},
};

/* Short forms of an option are as good as its name, but only if it is the only option that begins so. */
static const refusal *find_refusal(const char *word, int is_short)
{
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *name = refused[i].name;
        if (refused[i].remedy && strncmp(name, word, length) == 0 && (is_short || strlen(name) == length)) {
            return &refused[i];
        }
    }
    return NULL;
}

static int check_words(const compare_method *m, int is_short)
{
    for (size_t i = 0; i < m->count; i++) {
        const refusal *r = find_refusal(m->words[i] + 2, is_short);
        if (r) {
            return search_wrong_usage(command, "%s: %s", r->name, r->remedy);
        }
    }
    return 0;
}

/* ---- Words ------------------------------------------------------------------------ */

/* A part of a method as a word of an option; a flag stands without a value. */
static int add_word(compare_method *m, const char *part)
{
    zilch_method method;
    const int is_method = zilch_method_parse(part, &method) == ZILCH_OK;
    if (!*part || *part == '=') {
        return search_wrong_usage(
            command, "has an empty part; parts such as published, ea or elites=50 are joined by '+'");
    }
    if (strncmp(part, "method=", strlen("method=")) == 0) {
        return search_wrong_usage(command, "'%s': write the method's name alone", part);
    }
    if (*part == '-') {
        return search_wrong_usage(command, "'%s': options stand without dashes, such as elites=50", part);
    }
    for (size_t i = 0; i < m->count && is_method; i++) {
        if (strncmp(m->words[i], "--method=", strlen("--method=")) == 0) {
            return search_wrong_usage(command,
                                      "names two methods, %s and %s; give one, and options behind it",
                                      m->words[i] + strlen("--method="), part);
        }
    }
    if (!is_method && !strchr(part, '=')) { /* a flag, or mistyped */
        suggestion near = suggestion_for(part, strlen(part));
        for (int other = 0; other <= ZILCH_METHOD_EA; other++) {
            suggestion_offer(&near, zilch_method_name((zilch_method)other));
        }
        if (near.best) {
            return search_wrong_usage(command, "unknown word '%s'; did you mean '%s'?", part, near.best);
        }
    }
    const size_t size = sizeof "--method=" + strlen(part);
    char *word = malloc(size);
    if (!word) {
        return cli_fail("out of memory");
    }
    snprintf(word, size, "--%s%s", is_method ? "method=" : "", part);
    m->words[m->count++] = word;
    return 0;
}

static int split_words(compare_method *m)
{
    const char *rest = m->recipe;
    m->words = calloc(count_parts(m->recipe, '+') + 1, sizeof *m->words);
    if (!m->words) {
        return cli_fail("out of memory");
    }
    int status = 0;
    while (rest && !status) {
        char *part = cut(&rest, '+', 1);
        status = part ? add_word(m, part) : cli_fail("out of memory");
        free(part);
    }
    return status ? status : check_words(m, 0);
}

/* ---- Requests --------------------------------------------------------------------- */

/* The base's words, the method's behind them: what is said last wins. */
static int method_parse(compare_method *m, const compare_base *base)
{
    int status = split_words(m);
    if (status) {
        return status;
    }
    m->all_count = base->count + m->count;
    m->all = calloc(m->all_count + 1, sizeof *m->all);
    if (!m->all) {
        return cli_fail("out of memory");
    }
    memcpy(m->all, base->words, base->count * sizeof *m->all);
    memcpy(m->all + base->count, m->words, m->count * sizeof *m->all);
    status = search_request_parse(&m->request, (int)m->all_count, m->all);
    if (!status) {
        status = check_words(m, 1);
    }
    if (!status && m->request.warm_start && strcmp(m->request.warm_start, "-") == 0) {
        status = search_wrong_usage(command, "warm-start: is read for each run; give a file");
    }
    return status;
}

/* ---- Lists ------------------------------------------------------------------------ */

/* A colon behind a first word that is no option ends a name. */
static int take_name(compare_method *m, const char *text)
{
    const size_t length = text ? strcspn(text, ":+=") : 0;
    const int is_named = text && text[length] == ':';
    if (text) {
        m->name = is_named ? strndup(text, length) : strdup(text);
        m->recipe = strdup(is_named ? text + length + 1 : text);
    }
    if (!m->name || !m->recipe) {
        cli_fail("out of memory");
        return CLI_FAILED;
    }
    return is_named && length == 0
               ? search_wrong_usage(command, "--methods: '%s': there is no name before the colon", text)
               : 0;
}

int compare_methods_parse(const char *list, const compare_base *base, compare_method **out, size_t *count)
{
    const size_t most = count_parts(list, ',');
    *count = 0;
    *out = NULL;
    if (most > COMPARE_METHODS_MOST) {
        return search_wrong_usage(command, "--methods: has %zu of them; %d are the most", most,
                                  COMPARE_METHODS_MOST);
    }
    *out = calloc(most, sizeof **out);
    if (!*out) {
        return cli_fail("out of memory");
    }
    int status = 0;
    for (const char *rest = list; rest && !status;) {
        compare_method *m = &(*out)[*count];
        char *part = cut(&rest, ',', 0);
        ++*count;
        status = take_name(m, part);
        free(part);
        if (status) {
            break;
        }
        compare_name_method(m->name);
        for (const compare_method *other = *out; other < m && !status; other++) {
            status = strcmp(other->name, m->name) == 0
                         ? search_wrong_usage(command, "stands twice in --methods")
                         : 0;
        }
        status = status ? status : method_parse(m, base);
        compare_name_method(NULL);
    }
    return status;
}

void compare_methods_free(compare_method *method, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < method[k].count; i++) {
            free(method[k].words[i]);
        }
        free(method[k].words);
        free(method[k].all);
        free(method[k].recipe);
        free(method[k].name);
    }
    free(method);
}
