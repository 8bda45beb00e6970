/* The archive. A hash table over the rows' bytes finds a point that comes again (an elite that is evaluated
 * again, a child that equals its parent), so that it has one entry. */
#include "search/archive.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void zi_archive_free(zi_archive *archive)
{
    zi_rows_free(&archive->rows);
    zi_free(archive->entry);
    zi_free(archive->slot);
    zi_free(archive->forgotten);
    archive->forgotten = NULL;
    archive->forgotten_count = archive->forgotten_capacity = 0;
    archive->entry = NULL;
    archive->slot = NULL;
    archive->entry_capacity = archive->slots = 0;
}

/* ---- Points ------------------------------------------------------------------------------------- */

static uint64_t hash_of(const zi_rows *rows, size_t row)
{
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(rows, row, &length);
    uint64_t hash = length;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, length - at < 8 ? length - at : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* odd: no bit is lost */
        hash ^= hash >> 32;                                  /* and the low ones depend on all */
    }
    return hash;
}

/* The place in the table where a point equal to this row stands, or would stand. */
static size_t place_of(const zi_archive *archive, const zi_rows *rows, size_t row)
{
    size_t place = (size_t)hash_of(rows, row) & (archive->slots - 1);
    while (archive->slot[place] && !zi_rows_is_equal(&archive->rows, archive->slot[place] - 1, rows, row)) {
        place = (place + 1) & (archive->slots - 1);
    }
    return place;
}

static void fill_table(zi_archive *archive)
{
    memset(archive->slot, 0, archive->slots * sizeof *archive->slot);
    for (size_t row = 0; row < archive->rows.count; row++) {
        if (!zi_archive_is_forgotten(archive, row)) {
            archive->slot[place_of(archive, &archive->rows, row)] = (uint32_t)row + 1;
        }
    }
}

/* At most half full. */
static zilch_status widen_table(zi_archive *archive)
{
    if (2 * (archive->rows.count + 1) <= archive->slots) {
        return ZILCH_OK;
    }
    if (archive->rows.count >= UINT32_MAX / 4) {
        return zi_fail(ZILCH_ENOMEM, "archive: more points than it can number");
    }
    const size_t wider = archive->slots ? 2 * archive->slots : 1024;
    uint32_t *slot;
    ZI_TRY(zi_alloc(&slot, wider));
    zi_free(archive->slot);
    archive->slot = slot;
    archive->slots = wider;
    fill_table(archive);
    return ZILCH_OK;
}

zilch_status zi_archive_find(zi_archive *archive, const double *genome, size_t active, double penalties,
                             size_t *point)
{
    const size_t row = archive->rows.count;
    ZI_TRY(widen_table(archive));
    ZI_TRY(zi_grow(&archive->entry, sizeof *archive->entry, row, row + 1, &archive->entry_capacity));
    ZI_TRY(zi_rows_append(&archive->rows, genome));
    const size_t place = place_of(archive, &archive->rows, row);
    if (archive->slot[place]) {
        zi_rows_take_back(&archive->rows);
        *point = archive->slot[place] - 1;
        return ZILCH_OK;
    }
    archive->slot[place] = (uint32_t)row + 1;
    archive->entry[row] = (zi_archive_entry){.active = (uint32_t)active, .penalties = penalties};
    *point = row;
    return ZILCH_OK;
}

zilch_status zi_archive_lookup(const zi_archive *archive, const double *genome, size_t *point, int *is_there)
{
    zi_rows wanted = {.width = archive->rows.width};
    *is_there = 0;
    if (archive->slots == 0) {
        return ZILCH_OK;
    }
    const zilch_status status = zi_rows_append(&wanted, genome);
    const uint32_t found = status == ZILCH_OK ? archive->slot[place_of(archive, &wanted, 0)] : 0;
    zi_rows_free(&wanted);
    *is_there = found != 0;
    *point = found ? found - 1 : 0;
    return status;
}

/* ---- Worth -------------------------------------------------------------------------------------- */

static int is_better(const zi_archive *archive, size_t a, size_t b, int is_careful);

void zi_archive_find_best(zi_archive *archive)
{
    archive->best = 0;
    for (size_t row = 0; row < archive->rows.count; row++) {
        if (archive->entry[row].is_ranked &&
            (!archive->best || is_better(archive, row, archive->best - 1, 1))) {
            archive->best = row + 1;
        }
    }
}

/* A failure counts like any value where the latest is what counts; a mean is of those that succeeded. The
 * first value of a point that is evaluated again because it was good is a lucky one. */
void zi_archive_put(zi_archive *archive, const zi_evaluation *evaluation)
{
    zi_archive_entry *w = &archive->entry[evaluation->point];
    const double value = evaluation->value;
    const double weight = evaluation->weight;
    const int failed = !isfinite(value);
    w->id = evaluation->id > w->id ? evaluation->id : w->id;
    w->evaluations++;
    w->failures += (uint32_t)failed;
    if (archive->aggregate == ZILCH_AGGREGATE_LATEST) {
        w->is_ranked = !failed;
        w->value = failed ? NAN : value;
        w->violation = failed ? 0.0 : evaluation->violation;
        w->weight = weight;
    } else if (!failed) {
        const int is_second =
            archive->aggregate == ZILCH_AGGREGATE_LATER && w->evaluations - w->failures == 2;
        w->weight = is_second ? weight : w->weight + weight;
        const double part = weight / w->weight;
        const double mean = w->value + (value - w->value) * part;
        const double careful = w->value * (1.0 - part) + value * part; /* of values that far apart */
        w->value = !w->is_ranked || is_second ? value : isfinite(mean) ? mean : careful;
        w->violation = !w->is_ranked || is_second
                           ? evaluation->violation
                           : w->violation * (1.0 - part) + evaluation->violation * part;
        w->is_ranked = 1;
    }
    w->estimate = w->value;
    const size_t row = evaluation->point;
    if (archive->best == row + 1) {
        zi_archive_find_best(archive);
    } else if (w->is_ranked && (!archive->best || is_better(archive, row, archive->best - 1, 1))) {
        archive->best = row + 1;
    }
}

double zi_archive_cost(const zi_archive *archive, double value, size_t active, double penalties)
{
    return archive->sign * value + (archive->penalty * (double)active + penalties);
}

double zi_archive_fitness(const zi_archive *archive, double value, size_t active, double penalties)
{
    return value + archive->sign * (archive->penalty * (double)active + penalties);
}

zilch_record zi_archive_record(const zi_archive *archive, size_t point)
{
    const zi_archive_entry *w = &archive->entry[point];
    const int counts =
        w->is_ranked || (zi_archive_is_forgotten(archive, point) && w->evaluations > w->failures);
    const double value = counts ? w->value : NAN;
    return (zilch_record){.point = point,
                          .value = value,
                          .fitness = zi_archive_fitness(archive, value, w->active, w->penalties),
                          .active = w->active,
                          .evaluations = w->evaluations,
                          .failures = w->failures,
                          .violation = counts ? w->violation : NAN};
}

/* ---- Selection ------------------------------------------------------------------------------------ */

/* The standard error of an estimate. */
static double error_of(const zi_archive *archive, const zi_archive_entry *w)
{
    const double error = archive->noise / sqrt(w->weight);
    return archive->lack > 0.0 ? error * archive->lack / sqrt(error * error + archive->lack * archive->lack)
                               : error;
}

/* Whoever is careful counts on two standard errors less: a lucky value is not taken for a good point. Of
 * points that are not feasible it is not the value that decides. */
static int needs_care(const zi_archive *archive, const zi_archive_entry *w)
{
    return archive->noise > 0.0 && !(w->violation > 0.0);
}

static double cost_of(const zi_archive *archive, size_t row, int is_careful)
{
    const zi_archive_entry *w = &archive->entry[row];
    const double cost = zi_archive_cost(archive, w->estimate, w->active, w->penalties);
    return is_careful && needs_care(archive, w) ? cost + 2.0 * error_of(archive, w) : cost;
}

double zi_archive_careful_value(const zi_archive *archive, size_t point)
{
    const zi_archive_entry *w = &archive->entry[point];
    const double value = archive->sign * w->value;
    return needs_care(archive, w) ? value + 2.0 * (archive->noise / sqrt(w->weight)) : value;
}

int zi_is_better(double violation, double cost, double other_violation, double other_cost)
{
    return violation != other_violation ? violation < other_violation : cost < other_cost;
}

/* A total order: two points are never equal. */
static int is_better(const zi_archive *archive, size_t a, size_t b, int is_careful)
{
    const double violation_a = archive->entry[a].violation;
    const double violation_b = archive->entry[b].violation;
    const double cost_a = cost_of(archive, a, is_careful);
    const double cost_b = cost_of(archive, b, is_careful);
    return zi_is_better(violation_a, cost_a, violation_b, cost_b) ||
           (violation_a == violation_b && cost_a == cost_b && a < b);
}

/* heap[0] is the worst. */
static void sift_down(const zi_archive *archive, size_t *heap, size_t count, size_t at, int is_careful)
{
    for (;;) {
        size_t worst = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            worst = is_better(archive, heap[worst], heap[child], is_careful) ? child : worst;
        }
        if (worst == at) {
            return;
        }
        const size_t moved = heap[at];
        heap[at] = heap[worst];
        heap[worst] = moved;
        at = worst;
    }
}

int zi_archive_best(const zi_archive *archive, size_t *best)
{
    *best = archive->best ? archive->best - 1 : 0;
    return archive->best != 0;
}

/* The best so far are kept in a heap with the worst of them on top; taking it apart sorts them. */
static size_t select_points(const zi_archive *archive, uint64_t since, int is_drawn, size_t most,
                            size_t *best)
{
    size_t count = 0;
    for (size_t row = 0; row < archive->rows.count && most; row++) {
        const uint64_t id = archive->entry[row].id;
        const int is_refined = id >= ZI_REFINED_ID && id < ZI_FOREIGN_ID;
        if (!archive->entry[row].is_ranked || zi_id_number(id) < since ||
            (is_drawn && is_refined && archive->best != row + 1)) {
            continue;
        }
        if (count < most) {
            best[count++] = row;
            for (size_t at = count == most ? most / 2 : 0; at-- > 0;) {
                sift_down(archive, best, count, at, !is_drawn);
            }
        } else if (is_better(archive, row, best[0], !is_drawn)) {
            best[0] = row;
            sift_down(archive, best, count, 0, !is_drawn);
        }
    }
    for (size_t at = count < most ? count / 2 : 0; at-- > 0;) { /* not yet a heap */
        sift_down(archive, best, count, at, !is_drawn);
    }
    for (size_t left = count; left > 1; left--) {
        const size_t worst = best[0];
        best[0] = best[left - 1];
        best[left - 1] = worst;
        sift_down(archive, best, left - 1, 0, !is_drawn);
    }
    return count;
}

size_t zi_archive_select(const zi_archive *archive, uint64_t since, size_t most, size_t *best)
{
    return select_points(archive, since, 0, most, best);
}

size_t zi_archive_select_drawn(const zi_archive *archive, uint64_t since, size_t most, size_t *best)
{
    return select_points(archive, since, 1, most, best);
}

/* ---- Forgetting ----------------------------------------------------------------------------------- */

int zi_archive_is_forgotten(const zi_archive *archive, size_t point)
{
    return zi_rows_is_empty(&archive->rows, point);
}

zilch_status zi_archive_add_forgotten(zi_archive *archive, size_t active, double penalties)
{
    const size_t row = archive->rows.count;
    ZI_TRY(widen_table(archive));
    ZI_TRY(zi_grow(&archive->entry, sizeof *archive->entry, row, row + 1, &archive->entry_capacity));
    ZI_TRY(zi_rows_append_empty(&archive->rows));
    archive->entry[row] = (zi_archive_entry){.active = (uint32_t)active, .penalties = penalties};
    return ZILCH_OK;
}

static void mark(const zi_archive *archive, uint64_t since, size_t most, size_t *best, unsigned char *is_kept)
{
    const size_t count = zi_archive_select(archive, since, most, best);
    for (size_t i = 0; i < count; i++) {
        is_kept[best[i]] = 1;
    }
}

zilch_status zi_archive_forget(zi_archive *archive, uint64_t since, size_t most)
{
    const size_t count = archive->rows.count;
    size_t *best = NULL;
    unsigned char *is_kept = NULL;
    archive->forgotten_count = 0;
    zilch_status status =
        zi_grow(&archive->forgotten, sizeof *archive->forgotten, 0, count, &archive->forgotten_capacity);
    status = status == ZILCH_OK ? zi_alloc(&best, most < count ? most : count) : status;
    status = status == ZILCH_OK ? zi_alloc(&is_kept, count) : status;
    if (status == ZILCH_OK) {
        memset(is_kept, 0, count);
        mark(archive, 0, most < count ? most : count, best, is_kept);
        mark(archive, since, most < count ? most : count, best, is_kept);
        for (size_t row = 0; row < count; row++) {
            if (!is_kept[row] && !zi_archive_is_forgotten(archive, row)) {
                archive->forgotten[archive->forgotten_count++] = row;
                archive->entry[row].is_ranked = 0;
            }
        }
        if (archive->forgotten_count) {
            zi_rows_forget(&archive->rows, is_kept);
            fill_table(archive);
        }
    }
    zi_free(is_kept);
    zi_free(best);
    return status;
}
