#include "home/roster.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "home/damage.h"
#include "home/permit.h"
#include "session/home.h"

#define THREADS_MAX 8
#define PER_THREAD 64 /* sessions for each additional thread */

static int
on_session(void *arg, const char *id)
{
	struct roster *r = arg;

	if (r->n == r->cap) {
		r->cap = r->cap == 0 ? 64 : 2 * r->cap;
		r->rows = xrealloc(r->rows, r->cap, sizeof(*r->rows));
	}
	r->rows[r->n] = (struct roster_row){ 0 };
	memcpy(r->rows[r->n].id, id, ID_SIZE);
	manifest_init(&r->rows[r->n++].m);
	return 0;
}

static void
read_row(const struct roster *r, struct roster_row *row)
{
	auto_close int fd = home_session_dir(r->home, row->id, &row->err);

	row->rc = fd < 0 ? fd :
			   manifest_read_in(fd, &row->m, r->boot, &row->err);
	if (row->rc == 0)
		manifest_believe_id(&row->m, row->id);
	row->damaged = row->rc == 0 && r->logs &&
	    damage_check_quickly(&row->m, fd);
}

static void *
read_rows(void *arg)
{
	struct roster *r = arg;
	size_t i;

	while ((i = atomic_fetch_add(&r->next, 1)) < r->n)
		read_row(r, &r->rows[i]);
	return NULL;
}

/* Use as many threads as can be created, and the current one. */
static void
read_all(struct roster *r)
{
	pthread_t threads[THREADS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t want = processors < 1 ? 0 : (size_t)processors - 1, n = 0;

	if (want > r->n / PER_THREAD)
		want = r->n / PER_THREAD;
	if (want > THREADS_MAX)
		want = THREADS_MAX;
	while (n < want && pthread_create(&threads[n], NULL, read_rows, r) == 0)
		n++;
	read_rows(r);
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

/* Leave out the sessions that this process may not see. */
static void
hide_others(struct roster *r, const struct permit *p)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->rows[i].rc != 0 || permit_sees(p, &r->rows[i].m))
			r->rows[n++] = r->rows[i];
		else
			manifest_finish(&r->rows[i].m);
	}
	r->n = n;
}

int
roster_read(struct roster *r, const struct home *h, bool logs,
    struct error *err)
{
	struct permit p;
	int rc;

	*r = (struct roster){ .home = h, .logs = logs };
	if (boot_id(r->boot) < 0)
		r->boot[0] = '\0';
	permit_init(&p, h);
	rc = permit_certain(&p, err);
	if (rc == 0)
		rc = home_each(h, on_session, r, err);
	if (rc == 0) {
		read_all(r);
		hide_others(r, &p);
	}
	permit_finish(&p);
	return rc;
}

void
roster_finish(struct roster *r)
{
	for (size_t i = 0; i < r->n; i++)
		manifest_finish(&r->rows[i].m);
	free(r->rows);
}

struct manifest
roster_take(struct roster_row *row)
{
	struct manifest m = row->m;

	manifest_init(&row->m);
	return m;
}
