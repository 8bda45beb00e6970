/* The inside of a training. */
#ifndef ZI_TRAINER_H
#define ZI_TRAINER_H

#include "base/status.h"
#include "math/mlp.h"

struct zilch_trainer {
    zilch_block block;
    zi_mlp_shape shape;
    zilch_training_record record;
    size_t training, validating;      /* examples for either */
    double first_power, second_power; /* of Adam's decays: what is still missing in the means */
    /* One block of memory: */
    float *parameter, *gradient, *first, *second; /* and Adam's means of gradients and squares */
    float *input, *target;                        /* of all examples */
    float *batch_input, *batch_target, *batch_answer, *space;
    uint32_t *order;
};

#endif
