/* With 4 worlds at once. */
#define LANES 4
#define NAME zi_solve_lanes4
#include "sim/lanes_body.inc"
