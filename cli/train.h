/* Training that may be interrupted. The state of each block's training is kept in a file beside the
 * weights, WEIGHTS.mm.part and so on, until the weights are written; a training whose part is there
 * goes on from it. */
#ifndef TRAIN_H
#define TRAIN_H

#include "zilch.h"

typedef struct train_setting {
    const char *weights; /* the file to write */
    int block;           /* a zilch_block, or ZILCH_BLOCKS: all */
    uint64_t threads;
    zilch_examples_options examples;
    zilch_training_options options[ZILCH_BLOCKS];
} train_setting;

/* Trains, and puts the networks in their places in the weights file: an old one keeps its others, a
 * new one has the library's own. Stops at a signal that cli_watch_signals() noted. Gives 0 and what
 * was written, or CLI_FAILED after saying why. */
int train_run(const train_setting *setting, zilch_networks **out);

#endif
