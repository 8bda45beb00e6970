/* The zero-inflated Gaussian, fitted to the elites as the model's options say. */
#include "search/law.h"

zilch_status zi_draw_zig(const zi_draw *draw)
{
    zilch_model *model;
    zilch_rng rng = draw->rng;
    ZI_TRY(zilch_model_fit(&model, draw->elites, draw->dim, draw->elite, NULL, &draw->options->model));
    const zilch_status status = zilch_model_sample(model, &rng, draw->rows, draw->genome);
    zilch_model_destroy(model);
    return status;
}
