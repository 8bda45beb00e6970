/* A comparison's tables in LaTeX: each a table environment that needs the package booktabs. */
#include "compare/compare_summaries.h"
#include "terminal/text.h"

#include <math.h>

static void write_cell(const summary *p, const summary_cell *cell, FILE *stream)
{
    summary_cell_text text;
    summary_cell_format(p, cell, &text);
    fputs(" & ", stream);
    if (isnan(cell->number)) {
        fputs("--", stream);
    } else if (isnan(cell->spread)) {
        fprintf(stream, "$%s$", text.number);
    } else {
        fprintf(stream, "$%s \\pm %s$", text.number, text.spread);
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
        text_put_latex(stream, p->head[c]);
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
