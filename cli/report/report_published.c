/* Faust, Nitzsche and Becker (2026): means and standard deviations of 10 runs of each method, N = 500, K =
 * 100. */
#include "report/report_published.h"

#include <string.h>

enum { COLUMNS_MOST = 4 };

static const struct {
    const char *method, *summary;
    size_t columns;
    published_figure figure[COLUMNS_MOST];
} rows[] = {
    {"published", "scores", 1, {{308.0, 3.5, 10}}},
    {"ea", "scores", 1, {{303.6, 4.7, 10}}},
    {"gaussian", "scores", 1, {{301.6, 7.7, 10}}},
    {"adhoc", "scores", 1, {{293.7, 13.2, 10}}},
    {"published", "arrivals", 3, {{6.6, 1.1, 10}, {7.8, 0.8, 10}, {20.5, 3.5, 10}}},
    {"ea", "arrivals", 3, {{8.2, 2.5, 10}, {10.3, 3.4, 10}, {36.8, 13.7, 10}}},
    {"gaussian", "arrivals", 3, {{9.3, 1.4, 10}, {12.3, 1.5, 10}, {38.0, 9.8, 8}}},
    {"adhoc", "arrivals", 3, {{11.0, 4.1, 10}, {14.0, 6.6, 10}, {43.7, 26.0, 6}}},
    {"published", "active", 4, {{16.1, 3.7, 10}, {12.2, 1.8, 10}, {12.0, 1.8, 10}, {11.9, 1.8, 10}}},
    {"ea", "active", 4, {{30.3, 3.1, 10}, {18.0, 3.4, 10}, {12.4, 1.7, 10}, {11.6, 1.6, 10}}},
    {"gaussian", "active", 4, {{90.0, 0.0, 10}, {90.0, 0.0, 10}, {90.0, 0.0, 10}, {90.0, 0.0, 10}}},
    {"adhoc", "active", 4, {{39.6, 4.0, 10}, {37.7, 3.8, 10}, {37.3, 4.9, 10}, {36.7, 4.7, 10}}},
};

const published_figure *published_find(const char *method, const char *summary, size_t column)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].method, method) == 0 && strcmp(rows[i].summary, summary) == 0 &&
            column < rows[i].columns) {
            return &rows[i].figure[column];
        }
    }
    return NULL;
}
