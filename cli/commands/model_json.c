/* How a model was fitted, as JSON: for zilch fit, which has just done so, and zilch show. */
#include "commands/model_json.h"

json_node *model_report_json(const zilch_model *model, int *failed)
{
    zilch_fit_report report;
    if (zilch_model_report(model, &report) != ZILCH_OK) {
        return node_null();
    }
    json_node *object = node_object();
    const int is_full = report.structure == ZILCH_STRUCTURE_FULL;
    node_put(object, "structure", node_text(zilch_structure_name(report.structure)), failed);
    node_put(object, "inverter", is_full ? node_text(zilch_inverter_name(report.inverter)) : node_null(),
             failed);
    node_put(object, "shrinkage", node_text(zilch_shrinkage_name(report.shrinkage)), failed);
    node_put(object, "projection",
             is_full ? node_text(zilch_projection_name(report.projection)) : node_null(), failed);
    node_put(object, "rows", node_real(report.rows), failed);
    node_put(object, "projection_distance", node_real(report.projection_distance), failed);
    node_put(object, "identity_weight", node_real(report.identity_weight), failed);
    return object;
}
