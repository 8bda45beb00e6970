/* A training as small as one can be, for its fuzzer and for what makes the seeds. */
#ifndef ZILCH_FUZZ_TRAINER_H
#define ZILCH_FUZZ_TRAINER_H

#include "fuzz.h"

static inline zilch_examples *fuzz_examples(void)
{
    zilch_examples *examples;
    zilch_examples_options options = zilch_examples_defaults();
    options.count = 10;
    MUST(zilch_examples_create(&examples, &options, 1, NULL, NULL) == ZILCH_OK);
    return examples;
}

static inline zilch_trainer *fuzz_trainer(const zilch_examples *examples)
{
    zilch_trainer *trainer;
    zilch_training_options options = zilch_training_defaults(ZILCH_BLOCK_MM);
    options.units = 8;
    options.epochs = 3;
    options.batch = 4;
    MUST(zilch_trainer_create(&trainer, ZILCH_BLOCK_MM, examples, &options) == ZILCH_OK);
    return trainer;
}

#endif
