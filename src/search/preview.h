/* The archive as it would be if the open generation closed now. */
#ifndef ZI_PREVIEW_H
#define ZI_PREVIEW_H

#include "search/optimizer.h"

/* The archive takes values when their generation closes, so that a search does not depend on the order in
 * which they come. Whoever looks at the best points in between is shown the values that were told since, too.
 */
typedef struct zi_preview {
    zi_archive
        archive; /* entries of its own, if anything was told since; the rows are those of the optimiser */
    zi_archive fresh; /* points that the optimiser's archive has not; their numbers follow its own */
    int is_own;       /* else `archive` is the optimiser's, and nothing is to be freed */
} zi_preview;

/* Whatever it returns, zi_preview_free(). */
zilch_status zi_preview_make(zi_preview *out, const zilch_optimizer *optimizer);
void zi_preview_free(zi_preview *preview);

/* Point number `point` of the preview. */
zilch_record zi_preview_record(const zi_preview *preview, size_t point);

/* The rows that hold the point, and its place in them. */
const zi_rows *zi_preview_rows(const zi_preview *preview, size_t point, size_t *row);

#endif
