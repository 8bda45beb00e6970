/* With 8 worlds at once. */
#define LANES 8
#define NAME zi_solve_lanes8
#include "sim/lanes_body.inc"
