/* The simulation as a card runs it: the files of src/sim, all in one translation unit. An ordinary C++
 * compiler makes the same functions for a processor, which is how tests reach them without a card. */
#ifndef ZI_CUDA_SIM_CUH
#define ZI_CUDA_SIM_CUH

#include "sim/pcg64.c"

#include "sim/collide.c"

#include "sim/contact.c"

#include "sim/joint.c"

#include "sim/step.c"

#include "sim/impact.c"

#include "cuda/libm.cuh"

#include "sim/lander.c"

#include "sim/pilot.c"

#define LANES 1
#include "sim/lanes_body.inc"

#endif
