/* The page that plays an episode, cli/report/pages/lander.html, and what any page with landing.html in it
 * needs: episodes as landing.js reads them. */
#include "report/draw_lander.h"
#include "report/page_template.h"
#include "terminal/cli.h"
#include "terminal/text.h"

typedef struct page {
    const play_episode *episode;
    const char *flown;
} page;

void draw_lander_title(FILE *stream, const play_episode *episode)
{
    const zilch_lander_frame *last = &episode->frame[episode->steps];
    fprintf(stream, "Seed %llu: %s after %zu steps, return %.1f", (unsigned long long)episode->seed,
            zilch_landing_name(last->view.landing), episode->steps, last->total);
}

static void put_frame(FILE *stream, const zilch_lander_frame *f)
{
    const zilch_world_view *v = &f->view;
    fputc('[', stream);
    for (int i = 0; i < 3; i++) {
        fprintf(stream, "%.4f,%.4f,%.4f,", v->x[i], v->y[i], v->angle[i]);
    }
    fprintf(stream, "%.3g,%.3g", v->main_power, v->side_power);
    for (int i = 0; i < ZILCH_LANDER_OBSERVATIONS; i++) {
        fprintf(stream, ",%.4g", (double)f->observation[i]);
    }
    fprintf(stream, ",%.5g,%.7g]", f->reward, f->total);
}

/* The seed as text: a number of JavaScript has 53 bits. */
void draw_lander_episodes(FILE *stream, const play_episode *const *episodes, size_t count)
{
    fputc('[', stream);
    for (size_t i = 0; i < count; i++) {
        const play_episode *e = episodes[i];
        const zilch_world_view *v = &e->frame[0].view;
        fprintf(stream, "%s{\"seed\":\"%llu\",\"title\":\"", i ? ",\n" : "", (unsigned long long)e->seed);
        draw_lander_title(stream, e);
        fprintf(stream, "\",\"helipad\":%.4f,\"ground\":[", v->helipad);
        for (int k = 0; k < 11; k++) {
            fprintf(stream, "%s%.4f", k ? "," : "", v->ground[k]);
        }
        fputs("],\"frames\":[\n", stream);
        for (size_t k = 0; k <= e->steps; k++) {
            put_frame(stream, &e->frame[k]);
            fputs(k < e->steps ? ",\n" : "\n", stream);
        }
        fputs("]}", stream);
    }
    fputc(']', stream);
}

static void put_title(FILE *stream, const void *context)
{
    draw_lander_title(stream, ((const page *)context)->episode);
}

static void put_flown(FILE *stream, const void *context)
{
    text_put_escaped(stream, ((const page *)context)->flown);
}

static void put_episodes(FILE *stream, const void *context)
{
    draw_lander_episodes(stream, &((const page *)context)->episode, 1);
}

static const page_place places[] = {
    {"@TITLE@", put_title},
    {"@FLOWN@", put_flown},
    {"@EPISODES@", put_episodes},
    {NULL, NULL},
};

static zilch_status write_page(void *context, FILE *stream)
{
    page_template_put(stream, "lander.html", places, context);
    return ZILCH_OK;
}

int draw_lander_page(const char *path, const play_episode *episode, const char *flown)
{
    page p = {episode, flown};
    return zilch_file_replace(path, write_page, &p) == ZILCH_OK ? 0 : cli_fail_library();
}
