/* Devices in a build with CUDA. */
#include "request/search_options.h"
#include "run/device.h"
#include "run/ranks.h"
#include "terminal/cli.h"
#include "zilch_cuda.h"

int device_open(device **out, const char *command, int kind)
{
    zilch_cuda *card;
    *out = NULL;
    if (kind == DEVICE_CPU) {
        return 0;
    }
    if (ranks_count() > 1) {
        return search_wrong_usage(command, "--device: several ranks cannot share a graphics card; start one "
                                           "process, or leave --device out");
    }
    const zilch_status status = zilch_cuda_open(&card, 0);
    if (status == ZILCH_EUNAVAILABLE) {
        return search_wrong_usage(command, "--device: %s; leave --device out to fly on the processor",
                                  zilch_last_error());
    }
    *out = status == ZILCH_OK ? (device *)card : NULL;
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

void device_close(device *d)
{
    zilch_cuda_close((zilch_cuda *)d);
}

int device_attach(device *d, zilch_problem *problem)
{
    return !d || zilch_problem_set_flyer(problem, device_fly, d) == ZILCH_OK ? 0 : cli_fail_library();
}

zilch_status device_fly(void *d, const zilch_flights *flights, zilch_episode *out)
{
    return zilch_cuda_fly(d, flights, out);
}
