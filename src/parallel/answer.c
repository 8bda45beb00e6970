/* One answer of an evaluator. This is the only place that decides what an answer means, be it from a program
 * that the search has started or from a file of answers. */
#include "parallel/answer.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static zi_verdict wrong(zi_answer *out, const char *why)
{
    out->why = why;
    return ZI_ANSWER_WRONG;
}

static zi_verdict failed(zi_answer *out, const char *why)
{
    out->why = why;
    return ZI_ANSWER_FAILED;
}

static zi_verdict read_plain(const char *line, zi_answer *out)
{
    static const char blanks[] = " \t\r\n";
    char *end;
    const double value = strtod(line, &end);
    if (end == line || end[strspn(end, blanks)]) {
        return wrong(out, "is not a number");
    }
    if (!isfinite(value)) {
        return failed(out, "a value that is not finite");
    }
    out->value = value;
    return ZI_ANSWER_VALUE;
}

enum { ID, VALUE, ERROR, SIGMA, VIOLATION, VIOLATIONS, MEMBERS };

static int is_given(const zi_json_member *member)
{
    return member->kind != ZI_JSON_ABSENT && member->kind != ZI_JSON_NULL;
}

/* An array of numbers, which is known to be JSON; 0 if it is none. */
static int read_numbers(const zi_json_member *member, double *violation)
{
    static const char between[] = " \t\r\n,";
    if (member->kind != ZI_JSON_OTHER || *member->text != '[') {
        return 0;
    }
    for (const char *at = member->text + 1 + strspn(member->text + 1, between); *at != ']';
         at += strspn(at, between)) {
        char *end;
        if (!strchr("-0123456789", *at)) {
            return 0;
        }
        const double number = strtod(at, &end);
        *violation += zilch_violation(1, &number);
        at = end;
    }
    return 1;
}

/* One number, or several. NULL, or what is wrong. */
static const char *read_violation(const zi_json_member member[MEMBERS], double *violation)
{
    const zi_json_member *one = &member[VIOLATION];
    const zi_json_member *several = &member[VIOLATIONS];
    *violation = 0.0;
    if (is_given(one) && is_given(several)) {
        return "has both \"violation\" and \"violations\"; which one is meant?";
    }
    if (is_given(one)) {
        const double number = zi_json_is_number(one) ? zi_json_number(one) : NAN;
        *violation = zilch_violation(1, &number);
        return isnan(number) ? "has a \"violation\" that is not a number" : NULL;
    }
    return is_given(several) && !read_numbers(several, violation)
               ? "has \"violations\" that are not an array of numbers"
               : NULL;
}

/* An evaluation that failed has neither a value nor a standard error, whatever stands there. */
static zi_verdict read_object(const zi_json_member member[MEMBERS], zi_answer *out)
{
    const int64_t id = member[ID].kind == ZI_JSON_INTEGER ? zi_json_integer(&member[ID]) : -1;
    if (id < 0 || id >= ZI_ID_END) {
        return wrong(out, "has no \"id\", a whole number from 0 to 2^53 - 1");
    }
    out->id = (uint64_t)id;
    out->error = member[ERROR];
    if (is_given(&member[ERROR])) {
        return failed(out, "an error");
    }
    if (member[VALUE].kind == ZI_JSON_NULL) {
        return failed(out, "no value");
    }
    if (member[VALUE].kind == ZI_JSON_ABSENT) {
        return wrong(out, "has neither \"value\" nor \"error\"");
    }
    if (!zi_json_is_number(&member[VALUE])) {
        return wrong(out, "has a \"value\" that is not a number");
    }
    if (is_given(&member[SIGMA]) &&
        !(zi_json_is_number(&member[SIGMA]) && zi_json_number(&member[SIGMA]) >= 0.0)) {
        return wrong(out, "has a \"sigma\" that is not a number from 0 on");
    }
    const char *why = read_violation(member, &out->violation);
    if (why) {
        return wrong(out, why);
    }
    if (!isfinite(out->violation)) {
        out->violation = 0.0;
        return failed(out, "a violation that is not finite");
    }
    out->value = zi_json_number(&member[VALUE]);
    out->sigma = is_given(&member[SIGMA]) ? zi_json_number(&member[SIGMA]) : NAN;
    return ZI_ANSWER_VALUE;
}

zi_verdict zi_answer_read(const char *line, size_t length, zilch_protocol protocol, zi_answer *out)
{
    *out = (zi_answer){.value = NAN, .sigma = NAN, .why = ""};
    if (strlen(line) != length) {
        return wrong(out, "has a zero byte in it");
    }
    if (protocol == ZILCH_PROTOCOL_PLAIN) {
        return read_plain(line, out);
    }
    zi_json_member member[MEMBERS] = {[ID] = {.name = "id"},
                                      [VALUE] = {.name = "value"},
                                      [ERROR] = {.name = "error"},
                                      [SIGMA] = {.name = "sigma"},
                                      [VIOLATION] = {.name = "violation"},
                                      [VIOLATIONS] = {.name = "violations"}};
    return zi_json_read(line, MEMBERS, member, &out->fault) ? read_object(member, out)
                                                            : wrong(out, "is not a JSON object");
}

void zi_answer_reason(const zi_answer *answer, char *out, size_t size)
{
    if (answer->error.kind == ZI_JSON_STRING) {
        zi_json_string(&answer->error, out, size);
    } else {
        snprintf(out, size, "%s", answer->why);
    }
}

void zi_answer_describe(const zi_answer *answer, zi_verdict verdict, const char *line,
                        char out[ZILCH_REASON_SIZE])
{
    enum { SHOWN_MOST = 60, SAID = 6 };
    char shown[SHOWN_MOST + 4];
    if (verdict == ZI_ANSWER_FAILED) {
        memcpy(out, "said: ", SAID);
        zi_answer_reason(answer, out + SAID, ZILCH_REASON_SIZE - SAID);
        return;
    }
    snprintf(shown, sizeof shown, "%.*s%s", SHOWN_MOST, line, strlen(line) > SHOWN_MOST ? "..." : "");
    for (char *c = shown; *c; c++) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) {
            *c = '?';
        }
    }
    snprintf(out, ZILCH_REASON_SIZE, "answered '%s', which %s", shown, answer->why);
}

/* ---- For everybody ------------------------------------------------------------------------------------ */

zilch_status zilch_answer_parse(const char *line, zilch_protocol protocol, zilch_answer *out)
{
    zi_plain_locale locale;
    zi_answer answer;
    if (!line || !out || !zilch_protocol_name(protocol)) {
        return zi_fail(ZILCH_EARG, "answer: a line, a protocol and a place for the answer must be given");
    }
    ZI_TRY(zi_locale_enter(&locale));
    const zi_verdict verdict = zi_answer_read(line, strlen(line), protocol, &answer);
    *out = (zilch_answer){
        .id = answer.id, .value = answer.value, .sigma = answer.sigma, .violation = answer.violation};
    if (verdict == ZI_ANSWER_FAILED) {
        zi_answer_reason(&answer, out->reason, sizeof out->reason);
    }
    zi_locale_leave(&locale);
    if (verdict != ZI_ANSWER_WRONG) {
        return ZILCH_OK;
    }
    zi_location place = {.where = "answer"};
    if (answer.fault.at) {
        place.at[0] = (zi_axis_index){ZI_CHARACTER, (size_t)(answer.fault.at - line) + 1};
    }
    return zi_fail_at(ZILCH_EFORMAT, &place, "%s%s%s", answer.why, answer.fault.why ? ": " : "",
                      answer.fault.why ? answer.fault.why : "");
}
