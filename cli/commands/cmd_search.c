/* zilch lander: a sparse controller for the Lunar Lander; zilch optimize: a sparse optimum of any problem.
 * The first word tells which. */
#include "commands/commands.h"
#include "run/search.h"

int cmd_search(int argc, char **argv)
{
    search_request r;
    const int usage = search_request_parse(&r, argc, argv);
    return usage ? usage : search_begin(&r);
}
