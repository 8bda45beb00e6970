/* The page that plays an episode: cli/pages/lander.html, with the episode's numbers in its places
 * marked @TITLE@, @FLOWN@ and @EPISODE@. */
#include "cli.h"
#include "draw_lander.h"

#include <string.h>

typedef struct page {
    const play_episode *episode;
    const char *flown;
} page;

static void put_frame(FILE *stream, const play_frame *f)
{
    const zilch_lander_view *v = &f->view;
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

static void put_title(FILE *stream, const page *p)
{
    const play_episode *e = p->episode;
    const play_frame *last = &e->frame[e->steps];
    fprintf(stream, "Seed %llu: %s after %zu steps, return %.1f", (unsigned long long)e->seed,
            zilch_landing_name(last->view.landing), e->steps, last->total);
}

static void put_flown(FILE *stream, const page *p)
{
    draw_lander_escape(stream, p->flown);
}

static void put_episode(FILE *stream, const page *p)
{
    const play_episode *e = p->episode;
    const zilch_lander_view *v = &e->frame[0].view;
    fprintf(stream, "{helipad:%.4f,ground:[", v->helipad);
    for (int i = 0; i < 11; i++) {
        fprintf(stream, "%s%.4f", i ? "," : "", v->ground[i]);
    }
    fputs("],frames:[\n", stream);
    for (size_t k = 0; k <= e->steps; k++) {
        put_frame(stream, &e->frame[k]);
        fputs(k < e->steps ? ",\n" : "\n", stream);
    }
    fputs("]}", stream);
}

typedef struct place {
    const char *mark;
    void (*put)(FILE *stream, const page *p);
} place;

static const place places[] = {{"@TITLE@", put_title}, {"@FLOWN@", put_flown}, {"@EPISODE@", put_episode}};

static const place *place_at(const char *text)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strncmp(text, places[i].mark, strlen(places[i].mark)) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

static zilch_status write_page(void *context, FILE *stream)
{
    for (const char *at = page_texts[0].text; *at;) {
        const size_t plain = strcspn(at, "@");
        fwrite(at, 1, plain, stream);
        at += plain;
        const place *here = place_at(at);
        if (here) {
            here->put(stream, context);
            at += strlen(here->mark);
        } else if (*at) {
            fputc(*at++, stream);
        }
    }
    return ZILCH_OK;
}

int draw_lander_page(const char *path, const play_episode *episode, const char *flown)
{
    page p = {episode, flown};
    return zilch_file_replace(path, write_page, &p) == ZILCH_OK ? 0 : cli_fail_library();
}
