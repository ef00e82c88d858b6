#include "host/serve/detached.h"

#include <stddef.h>
#include <stdio.h>

void
detached_add(struct detached *d, uint64_t who, const char *by)
{
	size_t at = d->n % DETACHED_MAX;

	if (who == 0 || detached_by(d, who) != NULL)
		return;
	d->list[at].who = who;
	snprintf(d->list[at].by, sizeof(d->list[at].by), "%s", by);
	d->n++;
}

const char *
detached_by(const struct detached *d, uint64_t who)
{
	for (size_t i = 0; who != 0 && i < DETACHED_MAX; i++)
		if (d->list[i].who == who)
			return d->list[i].by;
	return NULL;
}
