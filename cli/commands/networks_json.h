/* Networks of the amortised inverter as JSON. */
#ifndef NETWORKS_JSON_H
#define NETWORKS_JSON_H

#include "zilch.h"

/* One line on stdout: weights, the file's name, and networks: how the network of each block was trained, or
 * of the one given, if it is not ZILCH_BLOCKS. 0, or 1 after printing why. */
int networks_print_json(const char *weights, const zilch_networks *networks, int block);

#endif
