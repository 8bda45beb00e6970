/* The picture of an episode, as in the publication's figure of trajectories: the lander's poses laid
 * over one another, dark at the beginning and bright at the end, over the ground with the two flags.
 *
 * SVG without scripts or references. Shapes are defined once, in metres, and placed by transforms;
 * what depends on light or dark stands in its style. */
#include "report/draw_lander.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <string.h>

enum { POSE_EVERY = 5, CHUNKS = 10, SCALE = 40, CAPTION = 106 };

static const double degree = 57.29577951308232;
static const double seconds_a_step = 0.02;
static const double width = 20.0;
static const double height = 400.0 / 30.0;

/* ---- Colours of time -------------------------------------------------------------------------- */

/* Points of viridis; its last, a yellow that white paper swallows, is left out. */
static const double viridis[][3] = {{68, 1, 84},    {70, 50, 126},  {54, 92, 141},  {39, 127, 142},
                                    {31, 161, 135}, {74, 193, 109}, {160, 218, 57}, {216, 226, 25}};
enum { COLOURS = sizeof viridis / sizeof *viridis };

static void put_colour(FILE *stream, double share)
{
    const double position = share * (COLOURS - 1);
    const int low = position < COLOURS - 2 ? (int)position : COLOURS - 2;
    fputc('#', stream);
    for (int k = 0; k < 3; k++) {
        const double mixed = viridis[low][k] + (position - low) * (viridis[low + 1][k] - viridis[low][k]);
        fprintf(stream, "%02x", (unsigned)lround(mixed));
    }
}

/* ---- Frame --------------------------------------------------------------------------------------- */

/* What is shown, in metres: the world, and where the lander has left it. */
typedef struct frame {
    double left, right, top;
} frame;

static frame frame_of(const play_episode *e)
{
    frame f = {0.0, width, height};
    for (size_t k = 0; k <= e->steps; k++) {
        const zilch_world_view *v = &e->frame[k].view;
        f.left = fmin(f.left, v->x[0] - 1.0);
        f.right = fmax(f.right, v->x[0] + 1.0);
        f.top = fmax(f.top, v->y[0] + 0.8);
    }
    return f;
}

static const char style[] =
    "<style>\n"
    ".sky{fill:#f4f6fa}.ground{fill:#c9ccd3;stroke:#8b909b}.pad{stroke:#4b5160}.pole{stroke:#4b5160}\n"
    ".flag{fill:#e0a500}.path{stroke:#4b5160}.pose{stroke:#10141c;stroke-opacity:.55}\n"
    ".paper{fill:#ffffff}.text{fill:#1c2230}.faint{fill:#5a6273}\n"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".sky{fill:#171c27}.ground{fill:#3a404d;stroke:#707889}.pad{stroke:#c5cbd8}.pole{stroke:#c5cbd8}\n"
    ".flag{fill:#f2c230}.path{stroke:#c5cbd8}.pose{stroke:#ffffff;stroke-opacity:.6}\n"
    ".paper{fill:#0e121a}.text{fill:#e8ebf2}.faint{fill:#a3abbd}}\n"
    "</style>\n";

/* The lander's shapes, in metres, from drawings in units of 1/30. */
static void put_shapes(FILE *stream)
{
    fputs("<defs>\n"
          "<linearGradient id=\"time\">\n",
          stream);
    for (int k = 0; k < COLOURS; k++) {
        const double share = (double)k / (COLOURS - 1);
        fprintf(stream, "<stop offset=\"%.4f\" stop-color=\"", share);
        put_colour(stream, share);
        fputs("\"/>\n", stream);
    }
    fputs("</linearGradient>\n"
          "<path id=\"hull\" transform=\"scale(.0333333)\" "
          "d=\"M-14 17L-17 0L-17-10L17-10L17 0L14 17Z\"/>\n"
          "<path id=\"leg\" transform=\"scale(.0333333)\" d=\"M-2-8H2V8H-2Z\"/>\n"
          "</defs>\n",
          stream);
}

/* ---- What is in it ---------------------------------------------------------------------------------- */

static void put_ground(FILE *stream, const frame *f, const zilch_world_view *v)
{
    fprintf(stream, "<path class=\"ground\" stroke-width=\".04\" d=\"M%.2f -1L%.2f %.4f", f->left - 1.0,
            f->left - 1.0, v->ground[0]);
    for (int i = 0; i <= CHUNKS; i++) {
        fprintf(stream, "L%d %.4f", 2 * i, v->ground[i]);
    }
    fprintf(stream, "L%.2f %.4fL%.2f -1Z\"/>\n", f->right + 1.0, v->ground[CHUNKS], f->right + 1.0);
    fprintf(stream, "<path class=\"pad\" stroke-width=\".1\" d=\"M8 %.4fH12\"/>\n", v->ground[4]);
}

/* Over the poses, which would hide them. */
static void put_flags(FILE *stream, const zilch_world_view *v)
{
    for (int x = 8; x <= 12; x += 4) {
        const double top = v->helipad + 50.0 / 30.0;
        fprintf(stream, "<path class=\"pole\" stroke-width=\".05\" d=\"M%d %.4fV%.4f\"/>\n", x, v->ground[4],
                top);
        fprintf(stream, "<path class=\"flag\" d=\"M%d %.4fV%.4fL%.4f %.4fZ\"/>\n", x, top, top - 10.0 / 30.0,
                x + 25.0 / 30.0, top - 5.0 / 30.0);
    }
}

static void put_path(FILE *stream, const play_episode *e)
{
    fputs("<path class=\"path\" fill=\"none\" stroke-width=\".03\" d=\"", stream);
    for (size_t k = 0; k <= e->steps; k++) {
        const zilch_world_view *v = &e->frame[k].view;
        fprintf(stream, "%c%.3f %.3f", k ? 'L' : 'M', v->x[0], v->y[0]);
    }
    fputs("\"/>\n", stream);
}

static void put_body(FILE *stream, const char *shape, const zilch_world_view *v, int body)
{
    fprintf(stream, "<use href=\"#%s\" transform=\"translate(%.4f %.4f) rotate(%.3f)\"/>", shape, v->x[body],
            v->y[body], v->angle[body] * degree);
}

/* Every few steps, and the last. */
static void put_poses(FILE *stream, const play_episode *e)
{
    fputs("<g class=\"pose\" stroke-width=\".6\" stroke-linejoin=\"round\">\n", stream);
    for (size_t k = 0; k < e->steps + POSE_EVERY; k += POSE_EVERY) {
        const size_t step = k < e->steps ? k : e->steps;
        const zilch_world_view *v = &e->frame[step].view;
        fputs("<g fill=\"", stream);
        put_colour(stream, e->steps ? (double)step / (double)e->steps : 0.0);
        fprintf(stream, "\"%s>", step == e->steps ? "" : " fill-opacity=\".6\"");
        put_body(stream, "leg", v, 1);
        put_body(stream, "leg", v, 2);
        put_body(stream, "hull", v, 0);
        fputs("</g>\n", stream);
    }
    fputs("</g>\n", stream);
}

/* Lines of text at the left, the colours of time at the right. */
static void put_caption(FILE *stream, const play_episode *e, const char *flown, double wide, double top)
{
    const zilch_lander_frame *last = &e->frame[e->steps];
    const double bar = 220.0;
    fprintf(stream, "<g transform=\"translate(16 %.0f)\" font-size=\"16\">\n", top);
    fprintf(stream,
            "<text class=\"text\" y=\"36\" font-size=\"22\" font-weight=\"600\">%s, return %.1f</text>\n",
            zilch_landing_name(last->view.landing), last->total);
    fprintf(stream, "<text class=\"faint\" y=\"64\">seed %llu, %zu steps</text>\n",
            (unsigned long long)e->seed, e->steps);
    fputs("<text class=\"faint\" y=\"88\">", stream);
    text_put_escaped(stream, flown);
    fprintf(stream,
            "</text>\n</g>\n<g class=\"faint\" transform=\"translate(%.0f %.0f)\" font-size=\"16\">\n",
            wide - bar - 16.0, top);
    fprintf(stream, "<rect y=\"22\" width=\"%.0f\" height=\"14\" rx=\"3\" fill=\"url(#time)\"/>\n", bar);
    fprintf(stream, "<text y=\"58\">0 s</text><text x=\"%.0f\" y=\"58\" text-anchor=\"middle\">time</text>",
            bar / 2.0);
    fprintf(stream, "<text x=\"%.0f\" y=\"58\" text-anchor=\"end\">%.2f s</text>\n</g>\n", bar,
            (double)e->steps * seconds_a_step);
}

/* ---- The file ------------------------------------------------------------------------------------------ */

typedef struct picture {
    const play_episode *episode;
    const char *flown;
} picture;

static zilch_status write_picture(void *context, FILE *stream)
{
    const picture *p = context;
    const play_episode *e = p->episode;
    const zilch_lander_frame *last = &e->frame[e->steps];
    const frame f = frame_of(e);
    const double wide = (f.right - f.left) * SCALE;
    const double high = f.top * SCALE;
    fprintf(
        stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">Lunar Lander, seed %llu: %s after %zu "
        "steps, "
        "return %.2f</title>\n",
        wide, high + CAPTION, wide, high + CAPTION, (unsigned long long)e->seed,
        zilch_landing_name(last->view.landing), e->steps, last->total);
    fputs(style, stream);
    put_shapes(stream);
    fprintf(stream, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", wide, high + CAPTION);
    fprintf(stream, "<svg width=\"%.0f\" height=\"%.0f\" overflow=\"hidden\">\n", wide, high);
    fprintf(stream, "<rect class=\"sky\" width=\"%.0f\" height=\"%.0f\"/>\n", wide, high);
    fprintf(stream, "<g transform=\"translate(%.2f %.2f) scale(%d -%d)\">\n", -f.left * SCALE, high, SCALE,
            SCALE);
    put_ground(stream, &f, &e->frame[0].view);
    put_path(stream, e);
    put_poses(stream, e);
    put_flags(stream, &e->frame[0].view);
    fputs("</g>\n</svg>\n", stream);
    put_caption(stream, e, p->flown, wide, high);
    fputs("</svg>\n", stream);
    return ZILCH_OK;
}

int draw_lander_picture(const char *path, const play_episode *episode, const char *flown)
{
    picture p = {episode, flown};
    return zilch_file_replace(path, write_picture, &p) == ZILCH_OK ? 0 : cli_fail_library();
}
