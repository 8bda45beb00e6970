/* Inside a problem. A named problem is a row of the table in problem.c: its name, its family, and which of
 * the family's problems it is. A family is one file: a table of settings and a few functions. */
#ifndef ZI_PROBLEM_H
#define ZI_PROBLEM_H

#include "base/status.h"

/* ---- Settings: what stands behind the colon of "sphere:dim=50,noise=0.1" --------------------- */

typedef enum zi_setting_kind {
    ZI_COUNT, /* a size_t, low to high */
    ZI_REAL,  /* a double, low to high */
    ZI_CHOICE /* an unsigned: which of the choices */
} zi_setting_kind;

enum { ZI_MOST_CHOICES = 4, ZI_MOST_SETTINGS = 8 };

typedef struct zi_setting {
    const char *name;
    zi_setting_kind kind;
    size_t offset;                       /* of the value in the family's state */
    double fallback;                     /* the value if none is given; of a choice its number */
    double low, high;                    /* of counts (up to 2^53) and reals */
    int is_open;                         /* low and high themselves are not allowed */
    const char *choice[ZI_MOST_CHOICES]; /* fewer: then NULL */
} zi_setting;

/* A field of the state under its own name, with a range. */
#define ZI_SETTING(state, field, type, usual, least, greatest)                                \
    .name = #field, .kind = ZI_##type, .offset = offsetof(state, field), .fallback = (usual), \
    .low = (least), .high = (greatest)

typedef struct zi_settings {
    size_t count; /* at most ZI_MOST_SETTINGS */
    const zi_setting *setting;
} zi_settings;

/* Fills `state` from the text behind the colon, "" for none; what it does not name gets its fallback. `who`
 * is the problem's name, for the error texts. */
zilch_status zi_settings_parse(const zi_settings *settings, const char *who, const char *text, void *state);

/* All settings, as "who:dim=50,active=5,noise=0.1": parsed again, they give the same state, bit for bit. The
 * capacity must suffice, the ending 0 included. */
zilch_status zi_settings_format(const zi_settings *settings, const char *who, const void *state, char *text,
                                size_t capacity);

/* ---- Families -------------------------------------------------------------------------------- */

typedef struct zi_family {
    size_t state_bytes; /* of the family's own struct, to which the settings' offsets point */
    zi_settings settings;

    /* When it is called, `state` holds the settings and is 0 behind them; seed, variant and name are set, the
     * rest of `info` says: minimise, no bounds, penalty 0, not noisy. It sets info.dim and what of the rest
     * is different. What it allocates hangs on the state; on failure it leaves that to close. May change a
     * setting. */
    zilch_status (*open)(zilch_problem *problem);

    /* Values of a batch. The batch has been looked at: its dim is the problem's, every coordinate finite.
     * Many threads at once, so the problem does not change: workspace is allocated for the call. A value must
     * not depend on the other points of the batch. Noise: from a stream of the problem's seed that the
     * point's id chooses. */
    zilch_status (*evaluate)(const zilch_problem *problem, const zilch_batch *batch, double *value);

    /* zilch_problem_held_out, by a way of the family's own; NULL: values on ids that no search has. */
    zilch_status (*hold_out)(const zilch_problem *problem, const double *x, size_t count, unsigned threads,
                             zilch_watcher watch, void *context, double *mean, double *error);

    /* Share of coordinates as in the optimum, of a finite point; NULL: the optimum is not known. */
    double (*support)(const zilch_problem *problem, const double *x);

    /* Frees what hangs on the state, not the state; NULL: nothing does. Also called when open has failed. */
    void (*close)(zilch_problem *problem);
} zi_family;

enum { ZI_SETTING_CAPACITY = 256 };

struct zilch_problem {
    const zi_family *family;
    unsigned variant; /* which of the family's problems: 1 to 8 of the smop ones */
    uint64_t seed;
    zilch_problem_info info;
    void *state;     /* the family's, in the same block of memory */
    zilch_flyer fly; /* a lander's; NULL: the library flies */
    void *fly_context;
    char setting[ZI_SETTING_CAPACITY];
};

extern const zi_family zi_lander_family;     /* lander_problem.c */
extern const zi_family zi_sphere_family;     /* sphere.c */
extern const zi_family zi_ellipsoid_family;  /* ellipsoid.c */
extern const zi_family zi_rosenbrock_family; /* rosenbrock.c */
extern const zi_family zi_smop_family;       /* smop.c */
extern const zi_family
    zi_regression_family; /* regression.c; has no name, its data come by its own function */

/* A problem with an empty state, before its settings and its open. */
zilch_status zi_problem_allocate(zilch_problem **out, const zi_family *family, const char *name,
                                 uint64_t seed);

/* The first point of a batch, and its coordinate, that is not finite: EARG. `who` is the caller. */
zilch_status zi_points_check(const char *who, size_t n, size_t dim, const double *x);

/* A stream of the problem's own: no number of it is one that an optimiser of the same seed draws. */
zilch_rng zi_problem_rng(const zilch_problem *problem, uint64_t stream);

size_t zi_active_count(size_t dim, const double *x);

/* Share of the coordinates that are active exactly where they are among the first `active`. */
double zi_first_active_share(size_t dim, size_t active, const double *x);

/* The usual number of active coordinates: a tenth, rounded up. */
static inline size_t zi_tenth(size_t dim)
{
    return dim / 10 + (dim % 10 != 0);
}

/* The setting `active` of the problem `who`: 0 becomes the usual number, `least` if that is more; EARG unless
 * it is from `least` to dim. */
zilch_status zi_active_settle(const char *who, size_t dim, size_t least, size_t *active);

#endif
