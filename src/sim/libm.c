/* What Gymnasium takes from the C library, in double precision. */
#include "sim/lander.h"

void zi_sincos(double angle, double *sine, double *cosine)
{
    *sine = sin(angle);
    *cosine = cos(angle);
}

double zi_gust(int64_t time)
{
    const double t = (double)time;
    return ZI_GUST(t);
}
