/* The names of a model's columns: one block with the pointers, and behind them the texts, as a file has
 * them, each ended by a zero byte. */
#include "base/memory.h"
#include "model/model.h"

#include <assert.h>
#include <string.h>

/* Pointers into the texts behind them. */
static void point(char **name, size_t dim)
{
    char *at = (char *)(name + dim);
    for (size_t i = 0; i < dim; i++) {
        name[i] = at;
        at += strlen(at) + 1;
    }
}

size_t zi_model_name_bytes(const zilch_model *model)
{
    size_t bytes = 0;
    for (size_t i = 0; model->name && i < model->dim; i++) {
        bytes += strlen(model->name[i]) + 1;
    }
    return bytes;
}

zilch_status zi_model_adopt_names(zilch_model *model, const char *texts, size_t bytes)
{
    assert(bytes >= model->dim && texts[bytes - 1] == '\0');
    char **name;
    ZI_TRY(zi_alloc_bytes((void *)&name, 1, model->dim * sizeof *name + bytes));
    memcpy(name + model->dim, texts, bytes);
    point(name, model->dim);
    zi_free(model->name);
    model->name = name;
    return ZILCH_OK;
}

zilch_status zilch_model_set_names(zilch_model *model, const char *const *names)
{
    char **name = NULL;
    size_t bytes = 0;
    if (!model) {
        return zi_fail(ZILCH_EARG, "names: no model given");
    }
    for (size_t i = 0; names && i < model->dim; i++) {
        if (!names[i]) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"names", {{ZI_COLUMN, i}}, NULL}, "has no name");
        }
        bytes += strlen(names[i]) + 1;
    }
    if (names) {
        ZI_TRY(zi_alloc_bytes((void *)&name, 1, model->dim * sizeof *name + bytes));
        char *at = (char *)(name + model->dim);
        for (size_t i = 0; i < model->dim; i++) {
            const size_t length = strlen(names[i]) + 1;
            memcpy(at, names[i], length);
            at += length;
        }
        point(name, model->dim);
    }
    zi_free(model->name);
    model->name = name;
    return ZILCH_OK;
}

const char *const *zilch_model_names(const zilch_model *model)
{
    return model ? (const char *const *)model->name : NULL;
}
