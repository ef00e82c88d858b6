#ifndef TEND_OP_VISIBLE_H
#define TEND_OP_VISIBLE_H

#include <jansson.h>

/*
 * The part of a result that its reader may see.  The tables say what needs a
 * permission (op/type.h): ops.def for whole results, types.def for fields.
 *
 * An object with `id` and `name` is about that session, and the permissions on
 * it count inside; elsewhere `granted` counts.
 */
typedef unsigned visible_fn(void *arg, const char *id, const char *name);
struct visible {
	unsigned granted; /* a bit 1 << OP_… for each */
	visible_fn *rights;
	void *arg;
};

/* `type` is that of op->result or the name of a type; changes v. */
void visible_limit(const struct visible *by, const char *type, json_t *v);

#endif
