/* Ranks in a build with MPI. What a search is asked for in words is all that the others are told; each opens
 * the problem by itself, and so reads its data by itself. */
#include "request/search_problem.h"
#include "run/ranks.h"
#include "terminal/cli.h"
#include "zilch_mpi.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static zilch_mpi *mpi;

/* ---- Rank 0 -------------------------------------------------------------------------------------- */

static struct {
    zilch_objective inner; /* of the batch under way */
    void *context;
    void (*end)(void *context);
    void *end_context;
    size_t jobs; /* programs of a rank side by side; 0: no program evaluates */
} here;

static void look_for_end(void *context)
{
    (void)context;
    if (here.end && cli_is_told_to_end()) {
        here.end(here.end_context);
    }
}

void ranks_set_ending(void (*end)(void *context), void *context)
{
    here.end = end;
    here.end_context = context;
}

void ranks_end(void)
{
    if (mpi) {
        zilch_mpi_destroy(mpi);
        mpi = NULL;
        zilch_mpi_end();
    }
}

unsigned ranks_count(void)
{
    return mpi ? (unsigned)zilch_mpi_ranks(mpi) : 1;
}

/* The values of a part arrive together. Those of a program may have taken long: a part is what a rank
 * evaluates at once, or as much as it does in a tenth of a second, by what the last batch took. */
static void choose_parts(size_t points, double seconds)
{
    static const double shortest = 0.1;
    const double each = seconds * (double)ranks_count() / (double)points; /* of a rank */
    const double most = each * (double)here.jobs < shortest ? shortest / each : (double)here.jobs;
    if (here.jobs) {
        zilch_mpi_set_most(mpi, most < 1e9 ? (size_t)most : 0);
    }
}

zilch_status ranks_evaluate(zilch_objective inner, void *context, const zilch_batch *batch, double *value)
{
    const double before = cli_seconds();
    here.inner = inner;
    here.context = context;
    const zilch_status status = zilch_mpi_objective(mpi, batch, value);
    choose_parts(batch->n, cli_seconds() - before);
    return status;
}

int ranks_open(const search_request *r, const char *problem)
{
    search_request request = *r;
    size_t size = 0;
    if (ranks_count() == 1) {
        return 0;
    }
    request.problem = r->program ? r->problem : problem;
    here.jobs = !r->program ? 0 : r->jobs ? (size_t)r->jobs : zilch_processors();
    zilch_mpi_set_least(mpi, (size_t)r->threads);
    zilch_mpi_set_most(mpi, here.jobs);
    char *text = search_request_words(&request, &size);
    if (!text) {
        return cli_fail("out of memory");
    }
    const zilch_status status = zilch_mpi_send(mpi, text, size);
    free(text);
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

/* ---- The others ---------------------------------------------------------------------------------- */

typedef struct helper {
    char *text;   /* all words */
    char **words; /* each of them */
    search_request request;
    search_problem problem;
    int rank;
} helper;

static zilch_status evaluate(void *context, const zilch_batch *batch, double *value)
{
    const helper *h = context;
    if (h->rank == 0) {
        return here.inner(here.context, batch, value);
    }
    const search_problem *p = &h->problem;
    zilch_pool pool = {.threads = (unsigned)h->request.threads, .inner = p->objective, .context = p->context};
    return p->is_spreading ? p->objective(p->context, batch, value)
                           : zilch_pool_objective(&pool, batch, value);
}

static void forget(helper *h)
{
    search_problem_close(&h->problem);
    h->problem = (search_problem){.problem = NULL};
    free(h->words);
    free(h->text);
    h->words = NULL;
    h->text = NULL;
}

/* Gives how many words there are; 0 without memory. */
static int split(helper *h, const char *bytes, size_t count)
{
    int words = 0;
    for (size_t i = 0; i < count; i++) {
        words += bytes[i] == '\0';
    }
    h->text = malloc(count + 1);
    h->words = calloc((size_t)words + 1, sizeof *h->words);
    if (!h->text || !h->words) {
        return 0;
    }
    char *at = memcpy(h->text, bytes, count);
    for (int i = 0; i < words; i++) {
        h->words[i] = at;
        at += strlen(at) + 1;
    }
    return words;
}

/* Only rank 0 speaks: what went wrong here is kept for it. */
static zilch_status open_problem(void *context, const void *bytes, size_t count)
{
    helper *h = context;
    char why[400] = "";
    char text[480];
    forget(h);
    const int words = split(h, bytes, count);
    if (words == 0) {
        return zilch_fail(ZILCH_ENOMEM, "out of memory");
    }
    cli_keep_messages(why, sizeof why);
    const int failed = search_request_parse(&h->request, words, h->words) ||
                       search_problem_open(&h->problem, &h->request) ||
                       search_problem_start(&h->problem, &h->request);
    cli_keep_messages(NULL, 0);
    snprintf(text, sizeof text, "rank %d cannot open the problem: %s", h->rank, why);
    return failed ? zilch_fail(ZILCH_EIO, text) : ZILCH_OK;
}

/* Where one rank dies, mpirun asks the others to end, and kills the rest as soon as one of them does. Rank 0
 * needs some time to say how it goes on. */
static void end_soon(int number)
{
    enum { SECONDS = 2 };
    (void)number;
    alarm(SECONDS);
}

/* Ctrl-C and its like are rank 0's to answer: it needs the others to finish a generation. */
static int serve(helper *h)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGTERM, end_soon);
    const zilch_status status = zilch_mpi_serve(mpi);
    if (status != ZILCH_OK) {
        return cli_fail("rank %d: %s", h->rank, zilch_last_error());
    }
    forget(h);
    ranks_end();
    return CLI_OK;
}

int ranks_join(void)
{
    static helper h;
    const zilch_mpi_setup setup = {
        .inner = evaluate, .context = &h, .receive = open_problem, .idle = look_for_end};
    unsigned rank = 0;
    if (zilch_mpi_begin() != ZILCH_OK || zilch_mpi_create(&mpi, MPI_COMM_WORLD, &setup) != ZILCH_OK) {
        return cli_fail_library();
    }
    h.rank = zilch_mpi_rank(mpi);
    if (ranks_count() == 1 && ranks_are_told(&rank)) { /* each would write the same study */
        ranks_end();
        return rank > 0 ? CLI_FAILED
                        : cli_fail("started as one of several ranks, but MPI knows of this one only: was it "
                                   "built with the MPI that has started it?");
    }
    return h.rank == 0 ? -1 : serve(&h);
}
