/* Where episodes of the lander are flown: on the processor, or on a graphics card. What they give does not
 * depend on that, and so a study keeps nothing of it. */
#ifndef DEVICE_H
#define DEVICE_H

#include "zilch.h"

/* The choices of OPTION_DEVICE. */
enum { DEVICE_CPU, DEVICE_CUDA };

/* A card; NULL where episodes are flown on the processor. One thread uses it; several open it several times.
 */
typedef struct device device;

/* For --device of a command. 0, or the exit status after printing why: CLI_USAGE if there is no card, or this
 * build has none, or there are several ranks, which would all want it. */
int device_open(device **out, const char *command, int kind);
void device_close(device *d);

/* Lets it fly the episodes of a lander; NULL: the processor does, as before. 0, or 1 after printing why. */
int device_attach(device *d, zilch_problem *problem);

/* A zilch_flyer with the device as its context. */
zilch_status device_fly(void *d, const zilch_flights *flights, zilch_episode *out);

#endif
