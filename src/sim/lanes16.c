/* With 16 worlds at once. */
#define LANES 16
#define NAME zi_solve_lanes16
#include "sim/lanes_body.inc"
