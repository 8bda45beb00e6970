/* Figures of a lander: a landing, pose upon pose, and the controller's formulas. */
#include "report/report_figures.h"

#include "report/figures.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The landing ----------------------------------------------------------------- */

enum { POSES = 24, GROUND = 11 };

/* In Gymnasium's units, of which 30 are a metre. */
static const double units = 30.0;
static const double steps_a_second = 50.0;
static const double hull[][2] = {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}, {-14, 17}};
static const double leg[][2] = {{-2, -8}, {2, -8}, {2, 8}, {-2, 8}, {-2, -8}};

static zilch_status write_landing_meta(void *context, FILE *stream)
{
    const play_episode *e = context;
    const zilch_world_view *end = &e->frame[e->steps].view;
    double left = 0.0;
    double right = 20.0;
    double top = 40.0 / 3.0;
    for (size_t i = 0; i <= e->steps; i++) {
        left = fmin(left, e->frame[i].view.x[0] - 1.0);
        right = fmax(right, e->frame[i].view.x[0] + 1.0);
        top = fmax(top, e->frame[i].view.y[0] + 0.8);
    }
    fprintf(stream, "texts = 1\nleft = %.4f\nright = %.4f\ntop = %.4f\nhelipad = %.4f\nseconds = %.2f\n",
            left, right, top, end->helipad, (double)e->steps / steps_a_second);
    figure_put_numbers(stream, "ground", GROUND, e->frame[0].view.ground);
    return ZILCH_OK;
}

static zilch_status write_landing_texts(void *context, FILE *stream)
{
    const play_episode *e = context;
    char title[FIGURE_TEXT_SIZE];
    snprintf(title, sizeof title, "Seed %llu: %s after %zu steps, return %.1f", (unsigned long long)e->seed,
             zilch_landing_name(e->frame[e->steps].view.landing), e->steps, e->frame[e->steps].total);
    figure_put_text(stream, 1, title);
    return ZILCH_OK;
}

static void put_polygon(FILE *stream, const zilch_world_view *v, int body, const double (*corner)[2],
                        size_t count, double time)
{
    const double c = cos(v->angle[body]) / units;
    const double s = sin(v->angle[body]) / units;
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "%.4f %.4f %.4f\n", v->x[body] + c * corner[i][0] - s * corner[i][1],
                v->y[body] + s * corner[i][0] + c * corner[i][1], time);
    }
}

/* A block a pose: the hull, a leg, a leg, with a blank line between them. */
static zilch_status write_landing(void *context, FILE *stream)
{
    const play_episode *e = context;
    const size_t poses = e->steps + 1 < POSES ? e->steps + 1 : POSES;
    fputs("# x y time, in shares of all\n", stream);
    for (size_t k = 0; k < poses; k++) {
        const size_t step = poses > 1 ? k * e->steps / (poses - 1) : 0;
        const double time = e->steps ? (double)step / (double)e->steps : 0.0;
        const zilch_world_view *v = &e->frame[step].view;
        fputs(k ? "\n\n" : "", stream);
        put_polygon(stream, v, 0, hull, sizeof hull / sizeof *hull, time);
        for (int body = 1; body <= 2; body++) {
            fputc('\n', stream);
            put_polygon(stream, v, body, leg, sizeof leg / sizeof *leg, time);
        }
    }
    return ZILCH_OK;
}

static zilch_status write_path(void *context, FILE *stream)
{
    const play_episode *e = context;
    fputs("# x y time, in shares of all\n", stream);
    for (size_t i = 0; i <= e->steps; i++) {
        fprintf(stream, "%.4f %.4f %.4f\n", e->frame[i].view.x[0], e->frame[i].view.y[0],
                e->steps ? (double)i / (double)e->steps : 0.0);
    }
    return ZILCH_OK;
}

/* ---- The formulas ---------------------------------------------------------------- */

/* Lines, and what goes on from one to the next, as long as the page is wide. */
enum { LINES_MOST = 32, LINE_SIZE = 512, LINE_WIDTH = 46 };

typedef struct lines {
    size_t count;
    char text[LINES_MOST][LINE_SIZE];
    size_t width[LINES_MOST];
    char title[FIGURE_TEXT_SIZE];
} lines;

/* One engine's; gives what is behind it. A line may break before a sign. There are plain spaces around the
 * equals sign: there the script takes a line apart. */
static const char *add_formula(lines *l, const char *at)
{
    char word[FIGURE_WORD_SIZE];
    size_t width;
    l->count += l->count < LINES_MOST;
    for (const char *next; (next = figure_word(at, word, &width)); at = next) {
        const int is_sign = strcmp(word, "+") == 0 || strcmp(word, "−") == 0;
        l->count += is_sign && l->width[l->count - 1] > LINE_WIDTH && l->count < LINES_MOST;
        char *line = l->text[l->count - 1];
        const size_t length = strlen(line);
        const int is_plain = strcmp(word, "=") == 0 || (length > 0 && line[length - 1] == '=');
        snprintf(line + length, LINE_SIZE - length, "%s%s",
                 !length    ? ""
                 : is_plain ? " "
                            : FIGURE_SPACE,
                 word);
        l->width[l->count - 1] += width + (length > 0);
    }
    at = strchr(at, '\n');
    return at ? at + 1 : "";
}

static zilch_status write_formulas_meta(void *context, FILE *stream)
{
    const lines *l = context;
    fprintf(stream, "texts = %zu\nlines = %zu\narray width[%zu] = [", 1 + l->count, l->count, l->count);
    for (size_t i = 0; i < l->count; i++) {
        fprintf(stream, "%s%zu", i ? ", " : "", l->width[i]);
    }
    fputs("]\n", stream);
    return ZILCH_OK;
}

static zilch_status write_formulas_texts(void *context, FILE *stream)
{
    const lines *l = context;
    figure_put_text(stream, 1, l->title);
    for (size_t i = 0; i < l->count; i++) {
        figure_put_text(stream, 2 + i, l->text[i]);
    }
    return ZILCH_OK;
}

static int write_formulas(const report *r, const private_folder *folder)
{
    char text[8192];
    size_t length;
    lines *l = calloc(1, sizeof *l);
    if (!l) {
        return cli_fail("out of memory");
    }
    int failed = zilch_policy_format(r->best.recommended_x, text, sizeof text, &length) != ZILCH_OK;
    failed = failed ? cli_fail_library() : 0;
    for (const char *at = text; !failed && *at;) {
        at = add_formula(l, at);
    }
    figure_title(r, l->title);
    failed = failed || figures_write(folder, "formulas", ".meta.gp", write_formulas_meta, l) ||
             figures_write(folder, "formulas", ".text.dat", write_formulas_texts, l);
    free(l);
    return failed;
}

int report_write_landing(const report *r, const private_folder *folder, report_figures *out)
{
    play_episode *e = r->episode[0];
    out->name[out->count++] = "landing";
    out->name[out->count++] = "formulas";
    return figures_write(folder, "landing", ".meta.gp", write_landing_meta, e) ||
           figures_write(folder, "landing", ".text.dat", write_landing_texts, e) ||
           figures_write(folder, "landing", ".dat", write_landing, e) ||
           figures_write(folder, "landing_path", ".dat", write_path, e) || write_formulas(r, folder);
}
