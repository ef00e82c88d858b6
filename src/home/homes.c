#include "home/homes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/path.h"
#include "home/fault.h"
#include "home/permit.h"
#include "home/report.h"
#include "home/words.h"
#include "session/home.h"
#include "session/manifest.h"

/* ----------------------------------------------------------------- looking */

struct tally {
	const struct home *home;
	struct homes_row *row;
};

static int
on_session(void *arg, const char *id)
{
	struct tally *t = arg;
	auto_close int fd = home_session_dir(t->home, id, NULL);
	struct manifest m;

	t->row->sessions++;
	if (fd < 0 || manifest_read_now(fd, &m, NULL) < 0)
		return 0;
	t->row->active += status_is_active(m.status);
	t->row->log_bytes += m.log_bytes;
	manifest_finish(&m);
	return 0;
}

static void
look_inside(struct homes_row *row)
{
	struct error err = { 0 };
	struct home h;
	struct tally t = { &h, row };

	if (home_open(&h, row->entry->path, false, &err) < 0) {
		row->state = REGISTRY_CLOSED;
		snprintf(row->note, sizeof(row->note), "%s", err.msg);
		return;
	}
	if (home_each(&h, on_session, &t, &err) < 0)
		snprintf(row->note, sizeof(row->note), "%s", err.msg);
	if (disk_look(h.fd, &row->disk) < 0)
		row->disk.kind = NULL;
	home_close(&h);
}

static void
explain_home(struct homes_row *row)
{
	const char *advice = NULL;

	if (row->note[0] != '\0')
		return;
	if (row->disk.kind != NULL)
		advice = disk_advice(&row->disk);
	if (advice != NULL)
		snprintf(row->note, sizeof(row->note), "on %s: %s",
		    row->disk.kind, advice);
	else if (row->state == REGISTRY_REPLACED)
		snprintf(row->note, sizeof(row->note),
		    "not the same directory as when it was last used");
}

static void
explain(struct homes_row *row)
{
	switch (row->state) {
	case REGISTRY_MOVED:
		snprintf(row->note, sizeof(row->note), "moved to %s",
		    row->moved_to);
		break;
	case REGISTRY_GONE:
		snprintf(row->note, sizeof(row->note),
		    "gone: moved or removed, or the disk is not mounted");
		break;
	case REGISTRY_NO_HOME:
		snprintf(row->note, sizeof(row->note),
		    "not a home any more: it has no sessions");
		break;
	case REGISTRY_CLOSED:
		if (row->note[0] == '\0')
			snprintf(row->note, sizeof(row->note),
			    "cannot be read: permission denied");
		break;
	case REGISTRY_REPLACED:
	case REGISTRY_THERE:
		explain_home(row);
		break;
	}
}

/* Returns false for a duplicate entry. */
static bool
look(const struct registry *r, size_t i, const struct stat *here,
    struct homes_row *row)
{
	const struct registry_entry *other;

	*row = (struct homes_row){ .entry = &r->items[i] };
	row->state = registry_look(r, row->entry, &other);
	if (registry_is_home(row->state) && other != NULL)
		return false;
	row->moved_to = other != NULL ? other->path : NULL;
	if (registry_is_home(row->state)) {
		row->here = row->entry->ino == here->st_ino &&
		    row->entry->dev == here->st_dev;
		look_inside(row);
	}
	explain(row);
	return true;
}

static void
take_rows(struct homes *l, const struct home *here, bool all)
{
	struct stat st = { 0 };

	if (here->fd >= 0)
		(void)fstat(here->fd, &st);
	l->rows = xcalloc(l->registry.n + 1, sizeof(*l->rows));
	for (size_t i = 0; i < l->registry.n; i++) {
		struct homes_row *row = &l->rows[l->n];

		if (!look(&l->registry, i, &st, row))
			continue;
		/* A home may have been moved here with its running sessions. */
		if (row->here && row->active > 0)
			(void)registry_record(here);
		l->n += all || row->active > 0;
	}
}

void
homes_read(struct homes *l, const struct home *here, bool all, struct report *r)
{
	struct error err;

	*l = (struct homes){ 0 };
	if (registry_read(&l->registry, &err) < 0)
		report_note(r, "%s", err.msg);
	if (here->sessions_fd >= 0)
		registry_add(&l->registry, here);
	take_rows(l, here, all);
	/* Entries that were shown as moved or long gone may be removed. */
	(void)registry_prune();
}

void
homes_finish(struct homes *l)
{
	free(l->rows);
	registry_finish(&l->registry);
}

/* -------------------------------------------------------------------- JSON */

static void
put_row(struct json_out *j, const struct homes_row *row)
{
	char used[WORDS_TIME_MAX];

	words_time(row->entry->used_ms, used);
	json_out_open(j, '{');
	json_put_text(j, "path", row->entry->path);
	json_put_text(j, "state", registry_state_name(row->state));
	json_put_bool(j, "here", row->here);
	json_put_number(j, "active", row->active);
	json_put_number(j, "sessions", row->sessions);
	json_put_number(j, "log_bytes", row->log_bytes);
	json_put_text(j, "used_at", used);
	json_put_text(j, "disk", row->disk.kind);
	json_put_text(j, "moved_to", row->moved_to);
	json_put_text(j, "note", row->note[0] != '\0' ? row->note : NULL);
	json_out_close(j, '}');
}

void
homes_json(const struct homes *l, struct json_out *j)
{
	json_out_open(j, '[');
	for (size_t i = 0; i < l->n; i++)
		put_row(j, &l->rows[i]);
	json_out_close(j, ']');
}

/* -------------------------------------------------------------- forgetting */

static int
forget(const char *dir, char path[PATH_MAX], struct error *err)
{
	char real[PATH_MAX];
	int rc = home_path(dir, path, err);

	if (rc < 0)
		return rc;
	rc = registry_forget(path, err);
	if (rc != -ENOENT)
		return rc;
	if (realpath(dir, real) != NULL)
		memcpy(path, real, sizeof(real));
	else
		path_clean(path);
	return registry_forget(path, err);
}

int
homes_forget(const char *dir, char path[PATH_MAX], struct fault *f)
{
	struct error err;
	int rc;

	if (permit_home(OP_ADMIN, f) < 0)
		return -1;
	rc = forget(dir, path, &err);
	if (rc == 0)
		return 0;
	return fault_set(f, rc == -ENOENT ? FAIL_NOT_FOUND : FAIL_STORAGE, "%s",
	    err.msg);
}

void
homes_json_forgotten(const char *path, struct json_out *j)
{
	json_out_member(j, "forgotten", path);
}
