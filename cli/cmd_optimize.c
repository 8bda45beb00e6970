/* zilch optimize: a sparse optimum of any problem. */
#include "commands.h"
#include "search.h"

int cmd_optimize(int argc, char **argv)
{
    search_request r;
    const int usage = search_request_parse(&r, argc, argv);
    return usage ? usage : search_begin(&r, argc, argv);
}
