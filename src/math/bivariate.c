/* The bivariate normal law: upper orthant probability, density, inverse in rho.
 *
 * Plackett's identity, d tail / d rho = density, makes the excess over independence
 * an integral from 0 to rho; with rho = sin(t) it is
 *
 *     excess = 1/(2 pi) * integral_0^asin(rho) of exp(-(h^2 + k^2 - 2 h k sin t) / (2 cos^2 t)) dt,
 *
 * smooth unless |rho| is near 1 (Drezner and Wesolowsky 1990). There the integral is
 * taken from rho to 1 instead, in x = sqrt(1 - rho^2), and its expansion about x = 0
 * is integrated exactly, so that only a remainder of order x^6 is left to quadrature
 * (Genz, Statistics and Computing 14, 2004). Gauss-Legendre with 4 to 24 nodes; a SIMD
 * lane is a pair (h, k). Error against 50-digit tables, 3e-16: tests/test_bivariate.c. */
#include "math/bivariate.h"

#include "base/simd.h"
#include "math/special.h"

#include <assert.h>

enum { RULES = 4, MOST_NODES = 24 };

/* Gauss-Legendre on [0, 1] (tools/coefficients.py). */
typedef struct rule {
    int count;
    double node[MOST_NODES], weight[MOST_NODES];
} rule;

static const rule rules[RULES] = {
    {4,
     {0x1.1c6490c2719ecp-4, 0x1.51ee013116102p-2, 0x1.5708ff6774f7fp-1, 0x1.dc736de7b1cc3p-1},
     {0x1.64340f7e7b66bp-3, 0x1.4de5f840c24cap-2, 0x1.4de5f840c24cap-2, 0x1.64340f7e7b66bp-3}},
    {8,
     {0x1.454e34f533998p-6, 0x1.a06d536d82f88p-4, 0x1.e5dad4f9af698p-3, 0x1.a214dac30e32fp-2,
      0x1.2ef5929e78e69p-1, 0x1.86894ac19425ap-1, 0x1.cbf255924fa0fp-1, 0x1.f5d58e5856633p-1},
     {0x1.9ea1d04ca0374p-5, 0x1.c76fb531d2b96p-4, 0x1.413c50a255615p-3, 0x1.736360b199343p-3,
      0x1.736360b199343p-3, 0x1.413c50a255615p-3, 0x1.c76fb531d2b96p-4, 0x1.9ea1d04ca0374p-5}},
    {16,
     {0x1.5b4f66ca1e083p-8, 0x1.c60a99e906503p-6, 0x1.132ff2bac6df4p-4, 0x1.f4ee8896e3653p-4,
      0x1.874b732542e90p-3, 0x1.157ed32de2c47p-2, 0x1.6fd1a8cdee642p-2, 0x1.cf5a853312ac1p-2,
      0x1.1852bd6676aa0p-1, 0x1.48172b9908cdfp-1, 0x1.754096690e9ddp-1, 0x1.9e2d2336af45cp-1,
      0x1.c1622eed23936p-1, 0x1.dd9a01a8a7241p-1, 0x1.f1cfab30b7cd8p-1, 0x1.fd4961326bc3fp-1},
     {0x1.bcddab4b7c211p-7, 0x1.fdfb1a2c1265dp-6, 0x1.85c4ee79cc258p-5, 0x1.fe7af2bad386ap-5,
      0x1.325f61bca3cbfp-4, 0x1.5a6ebbb5a75fcp-4, 0x1.75f8c77e0c00fp-4, 0x1.83feae80e4dfcp-4,
      0x1.83feae80e4dfcp-4, 0x1.75f8c77e0c00fp-4, 0x1.5a6ebbb5a75fcp-4, 0x1.325f61bca3cbfp-4,
      0x1.fe7af2bad386ap-5, 0x1.85c4ee79cc258p-5, 0x1.fdfb1a2c1265dp-6, 0x1.bcddab4b7c211p-7}},
    {24,
     {0x1.3b690cb733ec7p-9, 0x1.9e0c1e680f139p-7, 0x1.f9a7a58f55b36p-6, 0x1.d13df3cd9785bp-5,
      0x1.70a2cc7cb2401p-4, 0x1.0a1ce248c4454p-3, 0x1.685a2340bdef4p-3, 0x1.d17d08a7651aap-3,
      0x1.21e5d13f0eda5p-2, 0x1.5eb2b9d3b8b78p-2, 0x1.9e25aaf51ac1dp-2, 0x1.df33ef5824ba3p-2,
      0x1.10660853eda2ep-1, 0x1.30ed2a85729f2p-1, 0x1.50a6a31623a44p-1, 0x1.6f0d17607892dp-1,
      0x1.8ba0bdd626b95p-1, 0x1.a5e9772fd0843p-1, 0x1.bd78c76dceeebp-1, 0x1.d1eba67069b80p-1,
      0x1.e2ec20c32687ap-1, 0x1.f032c2d385526p-1, 0x1.f987cf865fc3bp-1, 0x1.fec496f348cc1p-1},
     {0x1.9465bd3112202p-8, 0x1.d375514486f1dp-7, 0x1.6ab884f57c979p-6, 0x1.e5c6255d25edap-6,
      0x1.2c6d5c2eff064p-5, 0x1.6108ef504463ap-5, 0x1.8fd8936444b16p-5, 0x1.b8177ba4a68dcp-5,
      0x1.d91c78acb1b2dp-5, 0x1.f25cbce1d1ff6p-5, 0x1.01b7117cf8bd8p-4, 0x1.060475e763736p-4,
      0x1.060475e763736p-4, 0x1.01b7117cf8bd8p-4, 0x1.f25cbce1d1ff6p-5, 0x1.d91c78acb1b2dp-5,
      0x1.b8177ba4a68dcp-5, 0x1.8fd8936444b16p-5, 0x1.6108ef504463ap-5, 0x1.2c6d5c2eff064p-5,
      0x1.e5c6255d25edap-6, 0x1.6ab884f57c979p-6, 0x1.d375514486f1dp-7, 0x1.9465bd3112202p-8}},
};

static const double inverse_2pi = 0x1.45f306dc9c883p-3;
static const double sqrt_2pi = 0x1.40d931ff62706p+1;
static const double quarter_turn = 0x1.921fb54442d18p+0;
static const double quarters_per_radian = 0x1.45f306dc9c883p-1;

/* Where the arc formula hands over to the one about |rho| = 1. */
static const double near_one = 0.925;
static const double near_one_quarters = 0.7519;

/* In lanes, so that the order of addition is the same for every register width. */
static double sum_terms(const double *term, int count)
{
    double lane[ZI_LANES] = {0};
    for (int begin = 0; begin < count; begin += ZI_LANES) {
        for (int i = 0; i < ZI_LANES; i++) {
            lane[i] += term[begin + i];
        }
    }
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* The integrand at t quarter turns, |t| < 0.76, without 1/(2 pi). */
ZI_LANE double arc_integrand(double squares, double product, double t)
{
    static const double c[] = {0x1.921fb54442d18p+0,  -0x1.4abbce625be53p-1,  0x1.466bc6775aae2p-4,
                               -0x1.32d2cce62bd85p-8, 0x1.50783487ee60dp-13,  -0x1.e3074fde62e86p-19,
                               0x1.e8f434ab4e78cp-25, -0x1.6fada39eaeef1p-31, 0x1.aadbd1b275c17p-38,
                               -0x1.8396abd196ad6p-45};
    const double sine = t * zi_polynomial(c, 10, t * t);
    return zi_exp((product * sine - squares) / (1.0 - sine * sine));
}

/* Its integral between two t, in quarter turns, for ZI_LANES pairs at once. */
ZI_CLONES
static void arc_integrals(const rule *r, const double *h, const double *k, const double *from,
                          const double *to, double *restrict out)
{
    double sum[ZI_LANES] = {0};
    for (int node = 0; node < r->count; node++) {
        for (int i = 0; i < ZI_LANES; i++) {
            const double squares = 0.5 * (h[i] * h[i] + k[i] * k[i]);
            const double t = from[i] + (to[i] - from[i]) * r->node[node];
            sum[i] += r->weight[node] * arc_integrand(squares, h[i] * k[i], t);
        }
    }
    for (int i = 0; i < ZI_LANES; i++) {
        out[i] = (to[i] - from[i]) * sum[i];
    }
}

/* Integral over x from 0 to a of exp(-b / (2 x^2)) (R(x) - its expansion to x^4), where
 * R(x) = exp(-h k / (1 + sqrt(1 - x^2))) / sqrt(1 - x^2) and b = (h - k)^2. */
ZI_CLONES
static double remainder_integral(double product, double b, double a, double c1, double c2)
{
    const rule *r = &rules[RULES - 1];
    double term[MOST_NODES];
    for (int i = 0; i < MOST_NODES; i++) {
        const double x = a * r->node[i];
        const double square = x * x;
        const double root = sqrt(1.0 - square);
        const double decay = -0.5 * b / square;
        const double whole = zi_exp(decay - product / (1.0 + root)) / root;
        const double expansion = zi_exp(decay - 0.5 * product) * (1.0 + c1 * square * (1.0 + c2 * square));
        term[i] = r->weight[i] * (whole - expansion);
    }
    return a * sum_terms(term, MOST_NODES);
}

/* P(X > max(h, k)) - P(X > h, Y > k): what is lost between correlation 1 and rho > 0. */
static double loss_from_one(double h, double k, double rho)
{
    const double a_square = (1.0 - rho) * (1.0 + rho);
    if (a_square <= 0.0) {
        return 0.0;
    }
    const double a = sqrt(a_square);
    const double b = (h - k) * (h - k);
    const double product = h * k;
    const double exponent = 0.5 * (b / a_square + product);
    if (exponent > 745.0) {
        return 0.0; /* the integrand is below the smallest double everywhere */
    }
    /* R(x) exp(h k / 2) = 1 + c1 x^2 (1 + c2 x^2) + O(x^6) */
    const double c1 = (4.0 - product) / 8.0;
    const double c2 = (12.0 - product) / 16.0;
    /* Moments of exp(-b / (2 x^2)) on [0, a], by parts; each with exp(-h k / 2). */
    const double edge = exp(-exponent);
    const double distance = fabs(h - k);
    const double moment_0 =
        a * edge -
        (distance > 0.0 ? exp(-0.5 * product) * sqrt_2pi * distance * zi_normal_tail(distance / a) : 0.0);
    const double moment_2 = (a * a_square * edge - b * moment_0) / 3.0;
    const double moment_4 = (a * a_square * a_square * edge - b * moment_2) / 5.0;
    const double expansion = moment_0 + c1 * (moment_2 + c2 * moment_4);
    return inverse_2pi * (expansion + remainder_integral(product, b, a, c1, c2));
}

/* The tail for |rho| near 1; for rho < 0, P(X > h, Y > k) = P(X > h) - P(X > h, -Y > -k). */
static double tail_near_one(double h, double k, double rho)
{
    if (rho > 0.0) {
        return fmax(0.0, zi_normal_tail(fmax(h, k)) - loss_from_one(h, k, rho));
    }
    const double between = h < -k ? zi_normal_tail(h) - zi_normal_tail(-k) : 0.0;
    return between + loss_from_one(h, -k, -rho);
}

/* Which rule serves an arc. Its nodes must do for the singularity at a quarter turn, by how
 * far, in half lengths, that is from the middle; and for the growth of the integrand, by the
 * most that its logarithm may change along the arc. */
static int rule_for(double h, double k, double from, double to)
{
    static const double least_room[] = {40.0, 9.0, 2.7};
    static const double most_growth[] = {0.19, 3.0, 17.0}; /* for a relative error of 1e-15 */
    const double room = 1.0 - 0.5 * fabs(from + to);
    const double half = 0.5 * fabs(to - from);
    const double far = fmax(fabs(from), fabs(to));
    const double cosine = 1.0 - far * far; /* nearly */
    const double both = fabs(h) + fabs(k);
    const double speed =
        quarter_turn * (fabs(h * k) / cosine + both * both * far / (cosine * cosine * cosine));
    int chosen = 0;
    while (chosen < RULES - 1 &&
           (room < least_room[chosen] * half || 2.0 * half * speed > most_growth[chosen])) {
        chosen++;
    }
    return chosen;
}

/* excess(to) - excess(from) of the wanted lanes, each by its own rule, so that no result
 * depends on its neighbours. */
static void arc_excesses(const double *h, const double *k, const double *from, const double *to,
                         const int *wanted, double *out)
{
    int rule_of[ZI_LANES];
    int needed[RULES] = {0};
    for (int i = 0; i < ZI_LANES; i++) {
        rule_of[i] = rule_for(h[i], k[i], from[i], to[i]);
        needed[rule_of[i]] |= wanted[i];
    }
    for (int which = 0; which < RULES; which++) {
        if (!needed[which]) {
            continue;
        }
        double integral[ZI_LANES];
        arc_integrals(&rules[which], h, k, from, to, integral);
        for (int i = 0; i < ZI_LANES; i++) {
            out[i] = rule_of[i] == which ? 0.25 * integral[i] : out[i]; /* a quarter turn is 2 pi / 4 */
        }
    }
}

/* Near |rho| = 1. Changing both signs changes nothing, but the smaller tails cancel less. */
static double excess_near_one(double h, double k, double rho)
{
    const double sign = h + k < 0.0 ? -1.0 : 1.0;
    return tail_near_one(sign * h, sign * k, rho) - zi_normal_tail(sign * h) * zi_normal_tail(sign * k);
}

static double excess_by_arc(double h, double k, double rho)
{
    const double lane_h[ZI_LANES] = {h};
    const double lane_k[ZI_LANES] = {k};
    const double from[ZI_LANES] = {0};
    const double to[ZI_LANES] = {asin(rho) * quarters_per_radian};
    const int wanted[ZI_LANES] = {1};
    double out[ZI_LANES];
    arc_excesses(lane_h, lane_k, from, to, wanted, out);
    return out[0];
}

double zi_bivariate_excess(double h, double k, double rho)
{
    assert(fabs(rho) <= 1.0);
    if (isinf(h) || isinf(k)) {
        return 0.0;
    }
    if (fabs(rho) < near_one) {
        return excess_by_arc(h, k, rho);
    }
    return excess_near_one(h, k, rho);
}

double zi_bivariate_tail(double h, double k, double rho)
{
    assert(fabs(rho) <= 1.0);
    if (isinf(h) || isinf(k)) {
        return zi_normal_tail(h) * zi_normal_tail(k);
    }
    if (fabs(rho) < near_one) {
        return fmax(0.0, zi_normal_tail(h) * zi_normal_tail(k) + excess_by_arc(h, k, rho));
    }
    return tail_near_one(h, k, rho);
}

double zi_bivariate_density(double h, double k, double rho)
{
    assert(fabs(rho) <= 1.0);
    const double square = (1.0 - rho) * (1.0 + rho);
    if (square <= 0.0 || isinf(h) || isinf(k)) {
        return 0.0;
    }
    /* (h^2 - 2 rho h k + k^2) as a square and what is left, so that it cannot cancel. */
    const double along = h - rho * k;
    return inverse_2pi / sqrt(square) * exp(-0.5 * (along * along / square + k * k));
}

/* ZI_LANES equations excess(t) = target, solved side by side: rho = sin(t), t counted in
 * quarter turns. */
typedef struct strip {
    double h[ZI_LANES], k[ZI_LANES], target[ZI_LANES];
    double low[ZI_LANES], high[ZI_LANES]; /* bracket of the solution */
    double t[ZI_LANES], excess[ZI_LANES]; /* the last point and its excess */
    double next[ZI_LANES];                /* the point to try */
    int open[ZI_LANES];                   /* not yet solved */
} strip;

/* Halley's step: with u = f / f' and q = -(log f')', -u / (1 + u q / 2). Also says which
 * steps may be the last: the error left is of third order in the step. */
ZI_LANE double halley_step(double h, double k, double t, double error, double *trusted)
{
    double sine;
    double cosine;
    zi_sincos_quarters(t, &sine, &cosine);
    const double square = cosine * cosine;
    const double form = h * h + k * k - 2.0 * h * k * sine;
    const double slope = 0.25 * zi_exp(-0.5 * form / square);
    const double q = quarter_turn * (form * sine - h * k * square) / (square * cosine);
    const double newton = error / slope;
    const double correction = 1.0 + 0.5 * newton * q;
    *trusted = 1e-5 * square * cosine;
    return -newton / (correction > 0.5 ? correction : 0.5);
}

/* From the excess at t: narrows the bracket, and says where to try next; the middle of the
 * bracket where Halley leaves it. */
ZI_CLONES
static void strip_advance(strip *s)
{
    double step[ZI_LANES];
    double trusted[ZI_LANES];
    for (int i = 0; i < ZI_LANES; i++) {
        const double error = s->excess[i] - s->target[i];
        s->low[i] = error < 0.0 ? s->t[i] : s->low[i];
        s->high[i] = error < 0.0 ? s->high[i] : s->t[i];
        step[i] = halley_step(s->h[i], s->k[i], s->t[i], error, &trusted[i]);
        const double aim = s->t[i] + step[i];
        const double middle = 0.5 * (s->low[i] + s->high[i]);
        s->next[i] = ((aim >= s->low[i]) & (aim <= s->high[i])) ? aim : middle;
    }
    for (int i = 0; i < ZI_LANES; i++) {
        s->open[i] &= fabs(step[i]) > trusted[i] && s->high[i] - s->low[i] > 1e-15;
    }
}

static int strip_is_open(const strip *s)
{
    int open = 0;
    for (int i = 0; i < ZI_LANES; i++) {
        open |= s->open[i];
    }
    return open;
}

/* Moves each open lane to its next point and brings its excess up to date: along the arc
 * from the last point, or, near |rho| = 1, by itself. */
static void strip_move(strip *s)
{
    int on_arc[ZI_LANES];
    double from[ZI_LANES];
    double gained[ZI_LANES] = {0};
    for (int i = 0; i < ZI_LANES; i++) {
        const int restart = fabs(s->t[i]) >= near_one_quarters;
        on_arc[i] = s->open[i] && fabs(s->next[i]) < near_one_quarters;
        from[i] = restart ? 0.0 : s->t[i];
        s->excess[i] = restart && on_arc[i] ? 0.0 : s->excess[i];
    }
    arc_excesses(s->h, s->k, from, s->next, on_arc, gained);
    for (int i = 0; i < ZI_LANES; i++) {
        if (on_arc[i]) {
            s->excess[i] += gained[i];
        } else if (s->open[i]) {
            s->excess[i] = excess_near_one(s->h[i], s->k[i], sin(quarter_turn * s->next[i]));
        }
        s->t[i] = s->open[i] ? s->next[i] : s->t[i];
    }
}

/* Sets up lane i at t = 0; returns the answer at once where there is nothing to solve, else NaN. */
static double strip_load(strip *s, size_t i, double h, double k, double p_h, double p_k, double excess)
{
    /* Within rounding of a bound is at the bound: nothing could be told apart there. */
    const double rounding = 1.0 - 1e-14;
    if (isinf(h) || isinf(k)) {
        return 0.0;
    }
    if (excess >= rounding * fmin(p_h * (1.0 - p_k), p_k * (1.0 - p_h))) {
        return 1.0;
    }
    if (excess <= -rounding * fmin(p_h * p_k, (1.0 - p_h) * (1.0 - p_k))) {
        return -1.0;
    }
    s->h[i] = h;
    s->k[i] = k;
    s->target[i] = excess;
    s->low[i] = -1.0;
    s->high[i] = 1.0;
    s->open[i] = 1;
    return NAN;
}

static void solve_strip(size_t count, double h, double p_h, const double *k, const double *p_k,
                        const double *excess, double *rho)
{
    enum { MOST_STEPS = 100 }; /* bisection alone needs half of them */
    strip s = {0};
    for (size_t i = 0; i < count; i++) {
        rho[i] = strip_load(&s, i, h, k[i], p_h, p_k[i], excess[i]);
    }
    strip_advance(&s);
    for (int step = 0; step < MOST_STEPS && strip_is_open(&s); step++) {
        strip_move(&s);
        strip_advance(&s);
    }
    for (size_t i = 0; i < count; i++) {
        double sine;
        double cosine;
        zi_sincos_quarters(s.next[i], &sine, &cosine);
        rho[i] = isnan(rho[i]) ? sine : rho[i];
    }
}

void zi_bivariate_inverses(size_t count, double h, double p_h, const double *k, const double *p_k,
                           const double *excess, double *rho)
{
    for (size_t begin = 0; begin < count; begin += ZI_LANES) {
        const size_t size = count - begin < ZI_LANES ? count - begin : ZI_LANES;
        solve_strip(size, h, p_h, k + begin, p_k + begin, excess + begin, rho + begin);
    }
}

double zi_bivariate_inverse(double h, double p_h, double k, double p_k, double excess)
{
    assert(p_h >= 0.0 && p_h <= 1.0 && p_k >= 0.0 && p_k <= 1.0);
    double rho;
    zi_bivariate_inverses(1, h, p_h, &k, &p_k, &excess, &rho);
    return rho;
}
