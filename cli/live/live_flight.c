/* Flights for the live page. */
#include "live/live_flight.h"

#include "report/draw_lander.h"
#include "request/search_problem.h"

#include <stdlib.h>
#include <string.h>

static char *fly(const follow_state *state, const char *problem)
{
    play_setting setting = {
        .options = search_problem_lander(problem), .seed = 1, .episodes = 1, .threads = 1};
    play_episode *episode = NULL;
    char *text = NULL;
    size_t size;
    memcpy(setting.controller.parameters, state->best, sizeof setting.controller.parameters);
    FILE *stream = play_record(&setting, NULL, &episode) == ZILCH_OK ? open_memstream(&text, &size) : NULL;
    if (stream) {
        const play_episode *list[] = {episode};
        draw_lander_episodes(stream, list, 1);
        (void)fclose(stream);
    }
    free(episode);
    return text;
}

static live_flight *place_of(live_flights *f, uint64_t run)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->list[i].run == run) {
            return &f->list[i];
        }
    }
    live_flight *grown = realloc(f->list, (f->count + 1) * sizeof *grown);
    if (!grown) {
        return NULL;
    }
    f->list = grown;
    grown[f->count] = (live_flight){.run = run};
    return &grown[f->count++];
}

int live_flight_fly(live_flights *flights, pthread_mutex_t *lock, const follow_state *state,
                    const char *problem)
{
    pthread_mutex_lock(lock);
    const live_flight *known = place_of(flights, state->run);
    const int is_new = known && known->version != state->best_version;
    pthread_mutex_unlock(lock);
    char *text = is_new ? fly(state, problem) : NULL;
    if (!text) {
        return 0;
    }
    pthread_mutex_lock(lock);
    live_flight *to = place_of(flights, state->run);
    free(to->text);
    to->text = text;
    to->version = state->best_version;
    pthread_mutex_unlock(lock);
    return 1;
}

char *live_flight_copy(const live_flights *flights, uint64_t run)
{
    for (size_t i = 0; i < flights->count; i++) {
        if (flights->list[i].run == run && flights->list[i].text) {
            return strdup(flights->list[i].text);
        }
    }
    return NULL;
}

void live_flights_free(live_flights *flights)
{
    for (size_t i = 0; i < flights->count; i++) {
        free(flights->list[i].text);
    }
    free(flights->list);
}
