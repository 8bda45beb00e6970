/* Prints the reference page of the options, from the library's tables. */
#include "zilch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_allowed(const zilch_option *o)
{
    char names[512];
    switch (o->type) {
    case ZILCH_OPTION_CHOICE:
        snprintf(names, sizeof names, "%s", o->choices);
        for (char *name = strtok(names, "|"); name; name = strtok(NULL, "|")) {
            printf("%s`%s`", name == names ? "" : ", ", name);
        }
        break;
    case ZILCH_OPTION_FLAG:
        fputs("`no`, `yes`", stdout);
        break;
    default:
        fputs(o->type == ZILCH_OPTION_COUNT ? "whole number" : "number", stdout);
        if (isfinite(o->least)) {
            printf(o->greatest >= 0x1p64 ? ", at least %.15g" : ", %.15g to ", o->least);
        }
        if (isfinite(o->least) && o->greatest < 0x1p64) {
            printf("%.15g", o->greatest);
        }
        fputs(o->may_be_none ? ", or `none`" : "", stdout);
    }
}

static void print_table(const char *title, const zilch_option *list, size_t count, const void *defaults)
{
    printf("\n## %s\n\n| option | allowed | default | group | what it does |\n|---|---|---|---|---|\n",
           title);
    for (int group = ZILCH_OPTION_COMMON; group <= ZILCH_OPTION_EXPERT; group++) {
        for (size_t i = 0; i < count; i++) {
            char usual[ZILCH_OPTION_SIZE];
            if (list[i].group != (zilch_option_group)group) {
                continue;
            }
            zilch_option_format(&list[i], defaults, usual);
            printf("| `%s` | ", list[i].name);
            print_allowed(&list[i]);
            printf(" | `%s` | %s | %s |\n", usual, group == ZILCH_OPTION_COMMON ? "common" : "expert",
                   list[i].about);
        }
    }
}

int main(void)
{
    const zilch_optimizer_options options = zilch_optimizer_defaults();
    const zilch_limits limits = zilch_limits_defaults();
    const zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    size_t count;
    puts(
        "# Options\n\n"
        "This page follows from the tables of options in `include/zilch.h`; a test compares it with them. In "
        "C an option\n"
        "is a field of the struct that is named in the heading. In Python it is a keyword of "
        "`zilch.minimize` and\n"
        "`zilch.Optimizer`. On the command line it is written with dashes: `--max-active 5`. In a method of\n"
        "`zilch compare` it stands without them: `default+max-active=5`. In JSON and in studies it has the "
        "name below.\n\n"
        "Common options are those that you may want to set in the first hour; `zilch optimize --help` shows "
        "them, and\n"
        "`--help-all` shows all.");
    const zilch_option *list = zilch_optimizer_option_list(&count);
    print_table("The optimiser: `zilch_optimizer_options`", list, count, &options);
    list = zilch_limit_list(&count);
    print_table("When a search ends: `zilch_limits`", list, count, &limits);
    list = zilch_final_list(&count);
    print_table("The final recommendation: `zilch_final_options`", list, count, &final);
    return 0;
}
