/* How a model was fitted, as JSON. */
#ifndef MODEL_JSON_H
#define MODEL_JSON_H

#include "json/json.h"
#include "zilch.h"

/* structure, inverter, shrinkage, projection, and what they did; null if the model was not fitted. */
json_node *model_report_json(const zilch_model *model, int *failed);

#endif
