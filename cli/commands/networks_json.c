/* How networks were trained, as JSON: for zilch train, which has just done so, and zilch show. */
#include "commands/networks_json.h"

#include "json/json.h"

static json_node *training_record(const zilch_training_record *record, int *failed)
{
    json_node *examples = node_object();
    node_put(examples, "labels", node_text(zilch_labels_name(record->examples.labels)), failed);
    node_put(examples, "count", node_whole(record->examples.count), failed);
    node_put(examples, "rows", node_whole(record->examples.rows), failed);
    node_put(examples, "seed", node_whole(record->examples.seed), failed);
    json_node *object = node_object();
    node_put(object, "examples", examples, failed);
    node_put(object, "units", node_whole(record->options.units), failed);
    node_put(object, "epochs", node_whole(record->options.epochs), failed);
    node_put(object, "batch", node_whole(record->options.batch), failed);
    node_put(object, "rate", node_real(record->options.rate), failed);
    node_put(object, "final_rate", node_real(record->options.final_rate), failed);
    node_put(object, "seed", node_whole(record->options.seed), failed);
    node_put(object, "epochs_done", node_whole(record->report.epoch), failed);
    node_put(object, "training_error", node_real(record->report.training_error), failed);
    node_put(object, "validation_error", node_real(record->report.validation_error), failed);
    return object;
}

int networks_print_json(const char *weights, const zilch_networks *networks, int block)
{
    json_node *document = node_object();
    json_node *blocks = node_object();
    int failed = 0;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_record record;
        if (block != ZILCH_BLOCKS && block != b) {
            continue;
        }
        failed |= zilch_networks_record(networks, (zilch_block)b, &record) != ZILCH_OK;
        node_put(blocks, zilch_block_name((zilch_block)b), training_record(&record, &failed), &failed);
    }
    node_put(document, "weights", node_name(weights), &failed);
    node_put(document, "networks", blocks, &failed);
    return node_print(document, failed);
}
