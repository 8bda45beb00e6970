/* An episode of the lander to look at: a picture, and a page that plays it. */
#ifndef DRAW_LANDER_H
#define DRAW_LANDER_H

#include "run/play.h"

/* Each gives 0, or 1 after printing why; the file is written whole or not at all. `flown`, by what, is
 * for the caption. */

/* SVG: the poses over the ground, coloured by time. */
int draw_lander_picture(const char *path, const play_episode *episode, const char *flown);

/* HTML: an animation, complete in one file. */
int draw_lander_page(const char *path, const play_episode *episode, const char *flown);

/* For a page with landing.html in it: what stands at @EPISODES@, an array of
 * {seed, title, helipad, ground, frames} in JSON; and such a title, "Seed 7: landed after ...". */
void draw_lander_episodes(FILE *stream, const play_episode *const *episodes, size_t count);
void draw_lander_title(FILE *stream, const play_episode *episode);

#endif
