/* JSON: documents that are put together from nodes. A document is one line; doubles have the 17 digits that
 * bring them back exactly; what is infinite or absent is null. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A constructor gives NULL without memory, and whoever takes a NULL notes it in *failed: one look at the end
 * is enough. What is put or appended belongs to its new owner. */
typedef struct json_t json_node;

json_node *node_object(void);
json_node *node_array(void);
json_node *node_null(void);
json_node *node_text(const char *text); /* UTF-8 */
json_node *node_name(const char *path); /* a text that need not be UTF-8; null for NULL */
json_node *node_real(double value);     /* null if it is not finite */
json_node *node_whole(uint64_t value);  /* its digits as a text beyond 2^63 */
json_node *node_truth(int value);       /* true or false */
json_node *node_vector(const double *x, size_t count, int *failed);
json_node *node_names(const char *const *names, size_t count, int *failed); /* null for NULL */

void node_put(json_node *object, const char *name, json_node *value, int *failed);
void node_append(json_node *array, json_node *value, int *failed);
void node_free(json_node *node);

/* One line on stdout; frees the document. 0, or 1 after printing why. */
int node_print(json_node *document, int failed);

/* To any stream, whose errors are for its owner; frees the value. 1 without memory. */
int node_dump(FILE *stream, json_node *value, int failed);

#endif
