/* Fit the distribution to made-up data, print it, and draw three new points.
 *
 *     cc fit_and_sample.c $(pkg-config --cflags --libs zilch) && ./a.out
 */
#include <stdio.h>
#include <zilch.h>

enum { ROWS = 400, COLS = 3, DRAWN = 3 };

int main(void)
{
    /* Coordinate 0 is active in half of the rows, 1 exactly where 0 is, 2 always. */
    static double x[ROWS][COLS];
    zilch_rng rng = zilch_rng_make(1, 0);
    for (size_t i = 0; i < ROWS; i++) {
        const int active = zilch_rng_uniform(&rng) < 0.5;
        x[i][0] = active ? 2.0 + zilch_rng_normal(&rng) : 0.0;
        x[i][1] = active ? x[i][0] - 3.0 + 0.5 * zilch_rng_normal(&rng) : 0.0;
        x[i][2] = 10.0 + zilch_rng_normal(&rng);
    }

    zilch_model *model;
    double drawn[DRAWN][COLS];
    zilch_status status = zilch_model_fit(&model, ROWS, COLS, x[0], NULL, NULL);
    if (status == ZILCH_OK) {
        status = zilch_model_sample(model, &rng, DRAWN, drawn[0]);
    }
    if (status != ZILCH_OK) {
        fprintf(stderr, "%s\n", zilch_last_error());
        return 1;
    }
    for (size_t j = 0; j < COLS; j++) {
        printf("coordinate %zu: p %.2f, mu %.2f\n", j, zilch_model_p(model)[j], zilch_model_mu(model)[j]);
    }
    for (size_t i = 0; i < DRAWN; i++) {
        printf("drawn: %5.2f %5.2f %5.2f\n", drawn[i][0], drawn[i][1], drawn[i][2]);
    }
    zilch_model_destroy(model);
}
