/* Devices in a build without CUDA: there is the processor. */
#include "request/search_options.h"
#include "run/device.h"

int device_open(device **out, const char *command, int kind)
{
    *out = NULL;
    return kind == DEVICE_CPU
               ? 0
               : search_wrong_usage(
                     command, "--device: this zilch was built without CUDA; install CUDA's compiler nvcc and "
                              "build again with -DZILCH_CUDA=ON, or leave --device out");
}

void device_close(device *d)
{
    (void)d;
}

int device_attach(device *d, zilch_problem *problem)
{
    (void)d;
    (void)problem;
    return 0;
}

zilch_status device_fly(void *d, const zilch_flights *flights, zilch_episode *out)
{
    (void)d;
    (void)flights;
    (void)out;
    return zilch_fail(ZILCH_EUNAVAILABLE, "there is no graphics card in this build");
}
