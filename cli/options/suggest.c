/* Nearest word by edit distance: insert, delete, replace, or swap two neighbours (optimal string
 * alignment). At most two edits, and one for every three letters of the word. */
#include "options/suggest.h"

#include <string.h>

enum { LONGEST = 40, MOST_EDITS = 2 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits from a[0..n) to b[0..m), by the table of all prefixes. */
static size_t edits(const char *a, size_t n, const char *b, size_t m)
{
    size_t cost[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++) {
        cost[i][0] = i;
    }
    for (size_t j = 0; j <= m; j++) {
        cost[0][j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(replaced, 1 + least(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = least(cost[i][j], 1 + cost[i - 2][j - 2]);
            }
        }
    }
    return cost[n][m];
}

suggestion suggestion_for(const char *word, size_t length)
{
    return (suggestion){.word = word, .length = length, .distance = 1 + least(MOST_EDITS, (length + 2) / 3)};
}

void suggestion_offer(suggestion *s, const char *candidate)
{
    const size_t length = strlen(candidate);
    if (s->length > LONGEST || length > LONGEST) {
        return;
    }
    const size_t distance = edits(s->word, s->length, candidate, length);
    if (distance < s->distance) {
        s->best = candidate;
        s->distance = distance;
    }
}
