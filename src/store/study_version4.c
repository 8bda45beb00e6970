/* Studies of version 4, which zilch 0.1 wrote. A run then kept the words of its command line, as JSON:
 * {"words":["optimize","--problem","smop1"],"checksum":""}. Here they become settings. The other tables are
 * as they were but for their comments, and stay. */
#include "base/memory.h"
#include "search/optimizer.h"
#include "store/schema.h"
#include "store/study.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- The options of then --------------------------------------------------------------------------- */

enum { NOT_KEPT = -1 }; /* beside the kinds of settings */

/* The options of then, by what has become of them; one with a ! takes no value. What follows from the
 * optimiser's state, or from the name of the problem, is not kept. */
static const struct {
    int kind;
    const char *names;
} old_options[] = {
    {ZILCH_SETTING_LIMIT, "generations evaluations target stagnation"},
    {ZILCH_SETTING_FINAL, "shortlist recheck prune"},
    {ZILCH_SETTING_MEANS, "jobs time threads held-out"},
    {ZILCH_SETTING_PROBLEM, "program timeout plain! sparse! once! ahead most-failures response searched "
                            "validation weights over-ask warm-start on off groups bounds bounds-file"},
    {NOT_KEPT,
     "data preset problem dim direction episodes seeds gravity wind! wind-power turbulence-power population "
     "elites price law archive again structure rank inverter shrinkage projection initial-p initial-mu "
     "initial-sigma initial-spread remember restart prior-p prior-mu prior-sigma prior-correlation weighting "
     "values margin shift copied redrawn timid widened active-least active-most seed study"},
};
static const char *const old_letters[] = {"p=problem",     "j=jobs",    "n=episodes",
                                          "g=generations", "t=threads", "s=seed"};
enum {
    OLD_KINDS = sizeof old_options / sizeof *old_options,
    OLD_LETTERS = sizeof old_letters / sizeof *old_letters,
    MOST_WORDS = 1000,
    NAME_SIZE = 32
};

typedef struct old_option {
    int kind, takes_value;
    char name[NAME_SIZE]; /* of then */
    const char *value;
} old_option;

/* An exact name, or the beginning of one. Whether there is one. */
static int find_name(const char *given, size_t length, old_option *out)
{
    int is_found = 0;
    for (size_t k = 0; k < OLD_KINDS; k++) {
        for (const char *at = old_options[k].names; *at; at += strspn(at, " !")) {
            const size_t size = strcspn(at, " !");
            if (size >= length && strncmp(at, given, length) == 0) {
                is_found = 1;
                *out = (old_option){.kind = old_options[k].kind, .takes_value = at[size] != '!'};
                memcpy(out->name, at, size);
            }
            if (is_found && strlen(out->name) == length) {
                return 1;
            }
            at += size;
        }
    }
    return is_found;
}

static int find_letter(char letter, old_option *out)
{
    for (size_t i = 0; i < OLD_LETTERS; i++) {
        if (*old_letters[i] == letter) {
            return find_name(old_letters[i] + 2, strlen(old_letters[i] + 2), out);
        }
    }
    return 0;
}

/* ---- Words ------------------------------------------------------------------------------------------ */

/* What a run of then has said: the words in one piece of memory, and the options with their last values. */
typedef struct old_words {
    char *text;
    const char *word[MOST_WORDS];
    size_t count;
    const char *checksum;
    old_option option[MOST_WORDS];
    size_t options;
} old_words;

static unsigned hexadecimal(const char *at)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        if (!isxdigit((unsigned char)c)) {
            return 0;
        }
        code = 16 * code +
               (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
    }
    return code;
}

/* The string that begins at *at, in place; *at goes behind it. NULL if there is none. Characters beyond ASCII
 * were written as they are, so that an escape stands for a control character. */
static char *take_string(char **at)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    char *from = *at + 1;
    char *const begin = from;
    char *to = from;
    if (**at != '"') {
        return NULL;
    }
    for (; *from && *from != '"'; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        const char *escape = *from ? strchr(letters, *from) : NULL;
        if (escape) {
            *to++ = meant[escape - letters];
        } else if (*from == 'u' && hexadecimal(from + 1) > 0 && hexadecimal(from + 1) < 0x80) {
            *to++ = (char)hexadecimal(from + 1);
            from += 4;
        } else {
            return NULL;
        }
    }
    if (*from != '"') {
        return NULL;
    }
    *at = from + 1;
    *to = '\0';
    return begin;
}

/* Whether the text is such an object; its words are then known. */
static int cut_words(old_words *w)
{
    static const char begins[] = "{\"words\":[";
    static const char behind[] = "],\"checksum\":";
    char *at = w->text;
    if (strncmp(at, begins, strlen(begins)) != 0) {
        return 0;
    }
    at += strlen(begins);
    while (w->count < MOST_WORDS && *at == '"') {
        const char *word = take_string(&at);
        if (!word) {
            return 0;
        }
        w->word[w->count++] = word;
        at += *at == ',';
    }
    if (strncmp(at, behind, strlen(behind)) != 0) {
        return 0;
    }
    at += strlen(behind);
    w->checksum = take_string(&at);
    return w->checksum && strcmp(at, "}") == 0 && w->count > 0;
}

static void find_values(old_words *w)
{
    for (size_t i = 1; i < w->count; i++) {
        const char *word = w->word[i];
        const int is_long = strncmp(word, "--", 2) == 0;
        const size_t length = is_long ? strcspn(word + 2, "=") : 0;
        const char *value = word + 2 + length;
        old_option option;
        if (!(is_long ? find_name(word + 2, length, &option)
                      : *word == '-' && find_letter(word[1], &option))) {
            continue;
        }
        if (!option.takes_value) {
            option.value = "yes";
        } else if (*value) {
            option.value = value + (is_long ? 1 : 0);
        } else if (i + 1 < w->count) {
            option.value = w->word[++i];
        } else {
            continue;
        }
        size_t k = 0;
        while (k < w->options && strcmp(w->option[k].name, option.name) != 0) {
            k++;
        }
        w->option[k] = option;
        w->options += k == w->options;
    }
}

static zilch_status read_words(old_words *out, const char *arguments)
{
    *out = (old_words){.checksum = ""};
    const size_t size = strlen(arguments) + 1;
    ZI_TRY(zi_alloc(&out->text, size));
    memcpy(out->text, arguments, size);
    if (cut_words(out)) {
        find_values(out);
    } else {
        out->checksum = "";
    }
    return ZILCH_OK;
}

static const char *said(const old_words *w, const char *name)
{
    for (size_t k = 0; k < w->options; k++) {
        if (strcmp(w->option[k].name, name) == 0) {
            return w->option[k].value;
        }
    }
    return NULL;
}

/* ---- Rows of this version --------------------------------------------------------------------------- */

/* With keys, so that nothing is sorted when they are read. */
static const char temporary_tables[] =
    "CREATE TEMP TABLE runs (run INTEGER PRIMARY KEY, name, problem, "
    "data, fingerprint, machine, started, version,"
    " seed, dim, method, direction, penalty);"
    "CREATE TEMP TABLE settings (run, kind, name, value, PRIMARY KEY (run, kind, name)) WITHOUT ROWID;"
    "CREATE TEMP TABLE coordinates (run, coordinate, name, PRIMARY KEY (run, coordinate)) WITHOUT ROWID;"
    "CREATE TEMP TABLE journal (run, generation, id, sum, value, error, violation);"
    "CREATE TEMP TABLE commands (command INTEGER PRIMARY KEY, run, action, value, asked, generation)";

/* The statements that fill them. */
typedef struct conversion {
    zi_statement add_run, add_setting;
} conversion;

static zilch_status add_setting(zi_statement *add, uint64_t run, int kind, const char *name,
                                const char *value)
{
    zi_bind_u64(add, run);
    zi_bind_text(add, zilch_setting_kind_name((zilch_setting_kind)kind));
    zi_bind_text(add, name);
    zi_bind_text(add, value);
    return zi_statement_run(add);
}

static zilch_status add_settings(zi_statement *add, uint64_t run, const old_words *w)
{
    for (size_t k = 0; k < w->options; k++) {
        const old_option *o = &w->option[k];
        const char *now = zilch_option_renamed(o->name);
        char name[NAME_SIZE];
        if (o->kind < 0 || (strcmp(o->name, "over-ask") == 0 && strtod(o->value, NULL) == 0.0)) {
            continue;
        }
        snprintf(name, sizeof name, "%s", now && *now ? now : o->name);
        for (char *dash = strchr(name, '-'); dash; dash = strchr(name, '-')) {
            *dash = '_';
        }
        ZI_TRY(add_setting(add, run, o->kind, name, o->value));
    }
    /* The preset published meant --prune no, with every law. */
    const char *preset = said(w, "preset");
    return preset && strcmp(preset, "published") == 0 && !said(w, "prune")
               ? add_setting(add, run, ZILCH_SETTING_FINAL, "final_pruning", "no")
               : ZILCH_OK;
}

/* The last place of a text in another: the name of a data file may hold anything. */
static const char *last_place(const char *text, const char *part)
{
    const char *found = NULL;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        found = at;
    }
    return found;
}

/* "linear:data=FILE,response=8,..." was named with its file, "program:COMMAND" with its program. The result
 * is to be freed. */
static zilch_status rename_problem(const char *problem, const old_words *w, char **out)
{
    static const char program[] = "program:";
    const char *said_program = said(w, "program");
    const char *response = strstr(problem, ":data=") ? last_place(problem, ",response=") : NULL;
    const size_t size = strlen(problem) + 1;
    ZI_TRY(zi_alloc(out, size));
    memcpy(*out, problem, size);
    if (response) {
        const size_t name = strcspn(problem, ":") + 1;
        memcpy(*out + name, response + 1, strlen(response));
    } else if (said_program && strncmp(problem, program, strlen(program)) == 0 &&
               strcmp(problem + strlen(program), said_program) == 0) {
        (*out)[strlen(program) - 1] = '\0';
    }
    return ZILCH_OK;
}

static const char *method_of(const char *law, const old_words *w)
{
    const char *preset = said(w, "preset");
    return strcmp(law, "dense") == 0                             ? "gaussian"
           : strcmp(law, "adhoc") == 0 || strcmp(law, "ea") == 0 ? law
           : strcmp(law, "zig") != 0                             ? "" /* which there never was */
           : preset && strcmp(preset, "published") == 0          ? "published"
                                                                 : "default";
}

static zilch_status add_run(zi_statement *row, void *context)
{
    conversion *c = context;
    zi_statement *add = &c->add_run;
    const uint64_t run = zi_column_u64(row);
    const char *name = zi_column_text(row);
    const char *old_problem = zi_column_text(row);
    const char *arguments = zi_column_text(row);
    old_words *w;
    char *problem = NULL;
    ZI_TRY(zi_columns_check(row, "run", run));
    ZI_TRY(zi_alloc(&w, 1));
    zilch_status status = read_words(w, arguments);
    status = status == ZILCH_OK ? rename_problem(old_problem, w, &problem) : status;
    if (status == ZILCH_OK) {
        zi_bind_u64(add, run);
        zi_bind_text(add, name);
        zi_bind_text(add, problem);
        zi_bind_text(add, zi_text_or_empty(said(w, "data")));
        zi_bind_text(add, w->checksum);
        for (int i = 0; i < 3; i++) { /* machine, started, version */
            zi_bind_text(add, zi_column_text(row));
        }
        zi_bind_u64(add, zi_column_u64(row));
        zi_bind_u64(add, zi_column_u64(row));
        zi_bind_text(add, method_of(zi_column_text(row), w));
        zi_bind_text(add, zi_column_text(row));
        zi_bind_double(add, zi_column_double(row));
        status = zi_columns_check(row, "run", run);
    }
    status = status == ZILCH_OK ? zi_statement_run(add) : status;
    status = status == ZILCH_OK ? add_settings(&c->add_setting, run, w) : status;
    zi_free(problem);
    zi_free(w->text);
    zi_free(w);
    return status;
}

/* The optimiser of a checkpoint. NULL if that is damaged: what is wrong with it is said to whoever goes on
 * with it. */
static zilch_status read_state(zi_statement *row, uint64_t *run, zilch_optimizer **out)
{
    zilch_method method = ZILCH_METHOD_DEFAULT;
    size_t length;
    *run = zi_column_u64(row);
    row->is_sound &= zilch_method_parse(zi_column_text(row), &method) == ZILCH_OK;
    const unsigned char *state = zi_column_blob(row, &length);
    ZI_TRY(zi_columns_check(row, "the checkpoint of run", *run));
    const zilch_status status = zi_optimizer_unpack_state(out, state, length);
    if (status == ZILCH_OK) {
        zi_optimizer_take_method(*out, method);
    }
    return status == ZILCH_ENOMEM ? status : ZILCH_OK;
}

static zilch_status add_options(zi_statement *row, void *context)
{
    conversion *c = context;
    uint64_t run;
    zilch_optimizer *o;
    size_t count;
    const zilch_option *list = zilch_optimizer_option_list(&count);
    ZI_TRY(read_state(row, &run, &o));
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; o && i < count && status == ZILCH_OK; i++) {
        char text[ZILCH_OPTION_SIZE];
        zilch_option_format(&list[i], &o->options, text);
        status = add_setting(&c->add_setting, run, ZILCH_SETTING_OPTION, list[i].name, text);
    }
    zilch_optimizer_destroy(o);
    return status;
}

static zilch_status convert(zi_sql *sql, conversion *c)
{
    ZI_TRY(zi_sql_execute(sql, temporary_tables));
    ZI_TRY(zi_statement_prepare(&c->add_run, sql,
                                "INSERT INTO temp.runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    ZI_TRY(zi_statement_prepare(&c->add_setting, sql, "INSERT INTO temp.settings VALUES (?, ?, ?, ?)"));
    ZI_TRY(zi_sql_rows(
        sql,
        "SELECT run, name, problem, arguments, machine, started, version, seed, dim, law, direction, price"
        " FROM main.runs ORDER BY run",
        NULL, add_run, c));
    return zi_sql_rows(sql,
                       "SELECT c.run, method, state FROM main.checkpoints c JOIN temp.runs r ON r.run = c.run"
                       " ORDER BY c.run",
                       NULL, add_options, c);
}

zilch_status zi_version4_show(zi_sql *sql)
{
    conversion c = {0};
    const zilch_status status = convert(sql, &c);
    zi_statement_finish(&c.add_run);
    zi_statement_finish(&c.add_setting);
    return status;
}

/* ---- Bringing a file up to date ---------------------------------------------------------------------- */

/* The statement of the schema that makes a table. To be freed. */
static zilch_status statement_of(const char *table, char **out)
{
    char begins[64];
    snprintf(begins, sizeof begins, "CREATE TABLE %s (", table);
    const char *begin = strstr(zi_schema_texts[0].text, begins);
    const char *end = strchr(begin, ';');
    const size_t length = (size_t)(end - begin);
    ZI_TRY(zi_alloc(out, length + 1));
    memcpy(*out, begin, length);
    (*out)[length] = '\0';
    return ZILCH_OK;
}

static const char *const new_tables[] = {"runs", "settings", "coordinates", "journal", "commands"};
enum { NEW_TABLES = sizeof new_tables / sizeof *new_tables };

zilch_status zi_version4_schema(char **out)
{
    static const char drop[] = "DROP TABLE runs;";
    const char *before = zi_schema_texts[1].text;
    size_t length = strlen(before) + strlen(drop);
    char *statement[NEW_TABLES] = {0};
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < NEW_TABLES && status == ZILCH_OK; i++) {
        status = statement_of(new_tables[i], &statement[i]);
        length += status == ZILCH_OK ? strlen(statement[i]) + 1 : 0;
    }
    status = status == ZILCH_OK ? zi_alloc(out, length + 1) : status;
    if (status == ZILCH_OK) {
        int used = snprintf(*out, length + 1, "%s%s", before, drop);
        for (size_t i = 0; i < NEW_TABLES; i++) {
            used += snprintf(*out + used, length + 1 - (size_t)used, "%s;", statement[i]);
        }
    }
    for (size_t i = 0; i < NEW_TABLES; i++) {
        zi_free(statement[i]);
    }
    return status;
}

static zilch_status make_table(zi_sql *sql, const char *table)
{
    char *statement;
    char copy[128];
    ZI_TRY(statement_of(table, &statement));
    zilch_status status = zi_sql_execute(sql, statement);
    snprintf(copy, sizeof copy, "INSERT INTO main.%s SELECT * FROM temp.%s; DROP TABLE temp.%s", table, table,
             table);
    zi_free(statement);
    return status == ZILCH_OK ? zi_sql_execute(sql, copy) : status;
}

/* The state of a run in today's form. A run that uses an option which is gone keeps the state it has: it can
 * be read. */
static zilch_status renew_state(zi_statement *row, void *context)
{
    zilch_study *study = context;
    uint64_t run;
    size_t length;
    zilch_optimizer *o;
    zi_statement put = {0};
    ZI_TRY(read_state(row, &run, &o));
    if (!o || o->gone) {
        zilch_optimizer_destroy(o);
        return ZILCH_OK;
    }
    zilch_status status = zi_study_pack(study, o, &length);
    zilch_optimizer_destroy(o);
    ZI_TRY(status);
    ZI_TRY(zi_statement_prepare(&put, study->sql, "UPDATE checkpoints SET state = ? WHERE run = ?"));
    zi_bind_blob(&put, study->bytes, length);
    zi_bind_u64(&put, run);
    status = zi_statement_run(&put);
    zi_statement_finish(&put);
    return status;
}

static zilch_status upgrade(zilch_study *study)
{
    zi_sql *sql = study->sql;
    ZI_TRY(zi_version4_show(sql));
    ZI_TRY(zi_sql_execute(sql, "DROP TABLE main.runs"));
    for (size_t i = 0; i < NEW_TABLES; i++) {
        ZI_TRY(make_table(sql, new_tables[i]));
    }
    ZI_TRY(zi_sql_rows(sql, "SELECT run, method, state FROM checkpoints JOIN runs USING (run) ORDER BY run",
                       NULL, renew_state, study));
    return zi_sql_execute(sql, "PRAGMA user_version = 5");
}

/* The table of runs is made anew, which those that refer to it need not see. */
zilch_status zi_version4_upgrade(zilch_study *study)
{
    ZI_TRY(zi_sql_execute(study->sql, "PRAGMA foreign_keys = OFF"));
    zilch_status status = zi_sql_begin(study->sql);
    if (status == ZILCH_OK) {
        int version;
        status = zi_study_version(study->sql, &version); /* another process may have been faster */
        status = zi_sql_end(study->sql, status == ZILCH_OK && version == 4 ? upgrade(study) : status);
    }
    const zilch_status checked = zi_sql_execute(study->sql, "PRAGMA foreign_keys = ON");
    return status == ZILCH_OK ? checked : status;
}
