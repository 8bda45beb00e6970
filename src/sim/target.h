/* What the simulation is compiled for. Its files are C for the processor, and, all of them in one translation
 * unit (cuda/sim.cuh), C++ for a graphics card: then each function of it is one of the card's. A lane is a
 * world there (lanes_one.inc). */
#ifndef ZI_TARGET_H
#define ZI_TARGET_H

#include <stdint.h>

#ifdef __CUDACC__
#define ZI_SIM __device__
#define ZI_TABLE __constant__
#else
#define ZI_SIM
#define ZI_TABLE
#endif

#endif
