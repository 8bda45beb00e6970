/* What JSON has of a comparison's methods, for other documents too. */
#ifndef COMPARE_JSON_H
#define COMPARE_JSON_H

#include "compare/compare.h"
#include "json/json.h"

json_node *compare_methods_array(const compare_setting *setting, const compare_run *run, int *failed);

#endif
