#include "host/serve/detached.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "log/by.h"

struct detached_client {
	uint64_t who;
	char by[BY_SIZE];
};

void
detached_finish(struct detached *d)
{
	free(d->list);
	d->list = NULL;
}

void
detached_add(struct detached *d, uint64_t who, const char *by)
{
	size_t at = d->n % DETACHED_MAX;

	if (who == 0 || detached_by(d, who) != NULL)
		return;
	if (d->list == NULL)
		d->list = xcalloc(DETACHED_MAX, sizeof(*d->list));
	d->list[at].who = who;
	snprintf(d->list[at].by, sizeof(d->list[at].by), "%s", by);
	d->n++;
}

const char *
detached_by(const struct detached *d, uint64_t who)
{
	for (size_t i = 0; d->list != NULL && who != 0 && i < DETACHED_MAX; i++)
		if (d->list[i].who == who)
			return d->list[i].by;
	return NULL;
}
