/* The options of the Lunar Lander, which 'zilch lander' and 'zilch optimize' share. */
#include "request/lander_options.h"

#include <string.h>

const char lander_options_about[] =
    "Search a sparse quadratic controller for the Lunar Lander, with up to 90 coefficients. Every generation "
    "is kept in a study, which is one file; 'zilch resume STUDY' goes on with an interrupted run.";

unsigned lander_options_bit(const char *name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } row[LANDER_OPTIONS] = {
        {"episodes", SEARCH_EPISODES},     {"seeds", SEARCH_SEEDS},
        {"gravity", SEARCH_GRAVITY},       {"wind", SEARCH_WIND},
        {"wind-power", SEARCH_WIND_POWER}, {"turbulence-power", SEARCH_TURBULENCE_POWER}};
    for (size_t i = 0; i < LANDER_OPTIONS; i++) {
        if (strcmp(row[i].name, name) == 0) {
            return row[i].bit;
        }
    }
    return 0;
}

void lander_options_rows(search_request *r, cli_option out[LANDER_OPTIONS])
{
    zilch_lander_options *o = &r->lander;
    const cli_option rows[LANDER_OPTIONS] = {
        {"episodes", 0, "N", CLI_COUNT, &r->episodes, 1, 1e6, NULL, "Landings behind each value."},
        {"seeds", 0, "NAME", CLI_CHOICE, &r->seeds, 0, 0, "fresh|common",
         "Seeds of the landings: fresh for each value, or common to all values of a generation."},
        {"gravity", 0, "G", CLI_REAL, &o->gravity, -12, 0, NULL, "Gravity, the ends excluded."},
        {"wind", 0, NULL, CLI_FLAG, &o->wind, 0, 0, NULL, "With wind and turbulence."},
        {"wind-power", 0, "P", CLI_REAL, &o->wind_power, 0, 20, NULL, "Power of the wind."},
        {"turbulence-power", 0, "P", CLI_REAL, &o->turbulence_power, 0, 2, NULL, "Power of the turbulence."},
    };
    memcpy(out, rows, sizeof rows);
}
