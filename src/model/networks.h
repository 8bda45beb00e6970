/* The three networks: what they hold. */
#ifndef ZI_NETWORKS_H
#define ZI_NETWORKS_H

#include "base/bytes.h"
#include "math/mlp.h"
#include "model/block.h"

typedef struct zi_network {
    zi_mlp_shape shape;
    const float *parameter;
    zilch_training_record record;
} zi_network;

struct zilch_networks {
    zi_network block[ZILCH_BLOCKS];
};

/* Those that the library carries: weights.c, which zilch train made (tools/make_weights.sh). */
extern const zilch_networks zi_shipped_networks;

/* Puts a copy of a network in place of a block's. */
zilch_status zi_networks_put(zilch_networks *networks, zilch_block block, const zi_network *network);

/* How a network was trained, as part of a file. Reading checks nothing. */
void zi_record_write(zi_writer *writer, const zilch_training_record *record);
zilch_training_record zi_record_read(zi_reader *reader);
enum { ZI_RECORD_BYTES = 4 + 3 * 8 + 6 * 8 + 3 * 8 };

#endif
