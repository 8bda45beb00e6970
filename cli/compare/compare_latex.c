/* A comparison's tables in LaTeX: each a table environment that needs the package booktabs. */
#include "compare/compare_summaries.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1.2e-07 is 1.2 \times 10^{-7}, in the mode of formulas. */
static void write_number(const char *text, FILE *stream)
{
    const size_t mantissa = strcspn(text, "e");
    if (strstr(text, "inf")) {
        fputs(*text == '-' ? "-\\infty" : "\\infty", stream);
    } else if (!text[mantissa]) {
        fputs(text, stream);
    } else {
        const int is_one = mantissa == 1 && *text == '1';
        fprintf(stream, "%.*s%s10^{%ld}", is_one ? 0 : (int)mantissa, text, is_one ? "" : " \\times ",
                strtol(text + mantissa + 1, NULL, 10));
    }
}

/* A column may be headed by a number, such as a target. */
static void write_head(const char *text, FILE *stream)
{
    double number;
    if (zilch_number_parse(text, &number)) {
        fputc('$', stream);
        write_number(text, stream);
        fputc('$', stream);
    } else {
        text_put_latex(stream, text);
    }
}

static void write_cell(const summary *p, const summary_cell *cell, FILE *stream)
{
    summary_cell_text text;
    summary_cell_format(p, cell, &text);
    fputs(" & ", stream);
    if (isnan(cell->number)) {
        fputs("--", stream);
    } else {
        fputc('$', stream);
        write_number(text.number, stream);
        if (!isnan(cell->spread)) {
            fputs(" \\pm ", stream);
            write_number(text.spread, stream);
        }
        fputc('$', stream);
    }
    if (cell->count < cell->of) {
        fprintf(stream, " (%zu of %zu)", cell->count, cell->of);
    }
}

static void write_summary(const compare_setting *s, const summary *p, FILE *stream)
{
    fprintf(stream, "\\begin{table}\n\\caption{");
    text_put_latex(stream, p->title);
    fprintf(stream, "}\n\\label{tab:%s}\n\\begin{tabular}{l", p->name);
    for (size_t c = 0; c < p->columns; c++) {
        fputc('r', stream);
    }
    fputs("}\n\\toprule\nmethod", stream);
    for (size_t c = 0; c < p->columns; c++) {
        fputs(" & ", stream);
        write_head(p->head[c], stream);
    }
    fputs(" \\\\\n\\midrule\n", stream);
    for (size_t k = 0; k < s->methods; k++) {
        text_put_latex(stream, s->method[k].name);
        for (size_t c = 0; c < p->columns; c++) {
            write_cell(p, &p->cell[k * p->columns + c], stream);
        }
        fputs(" \\\\\n", stream);
    }
    fputs("\\bottomrule\n\\end{tabular}\n\\end{table}\n", stream);
}

int compare_write_latex(const compare_setting *s, const compare_run *run, FILE *stream)
{
    size_t count;
    summary *summaries = compare_summaries_make(s, run, &count);
    if (!summaries) {
        return 1;
    }
    fputs("% ", stream);
    text_put_latex(stream, s->problem);
    fprintf(stream, ", seeds %llu to %llu; mean \\pm standard deviation of the runs\n",
            (unsigned long long)s->seed, (unsigned long long)(s->seed + s->seeds - 1));
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? "\n" : "", stream);
        write_summary(s, &summaries[i], stream);
    }
    compare_summaries_free(summaries, count);
    return 0;
}
