#include "host/life/naming.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/serve/server.h"
#include "host/store/manifest_writer.h"
#include "session/home.h"

/* The home is two directories above the session's, even after a move. */
static int
open_home(const struct session *session, struct home *home, struct error *err)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", session->dirfd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return error_set(err, errno, "cannot find the home: %s",
		    strerror(errno));
	path[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (slash == NULL || slash == path)
			return error_set(err, ENOENT, "cannot find the home");
		*slash = '\0';
	}
	return home_open(home, path, false, err);
}

/* True if another session of this home is active, by its own manifest. */
static bool
is_active(void *arg, const char *id)
{
	const struct home *home = arg;
	struct manifest m;
	bool active = false;
	int dirfd = home_session_dir(home, id, NULL);

	if (dirfd < 0)
		return false;
	manifest_init(&m);
	if (manifest_read_now(dirfd, &m, NULL) == 0)
		active = status_is_active(m.status);
	manifest_finish(&m);
	fd_close(&dirfd);
	return active;
}

int
naming_rename(struct session *session, struct server *server, const char *name,
    const char *by, struct error *err)
{
	struct manifest *m = &session->manifest;
	struct home home;
	int rc = name_check(name, err);

	if (rc < 0 || strcmp(name, m->name) == 0)
		return rc;
	/* The loop itself writes the name, so the disk must not hang. */
	session_write(session);
	if (!manifest_writer_has_saved(session->manifest_writer))
		return error_set(err, EAGAIN,
		    "the disk accepts no writes now, so the name is still "
		    "%s; try again later",
		    m->name);
	rc = open_home(session, &home, err);
	if (rc < 0)
		return rc;
	rc = name_claim(&home, name, m->id, is_active, &home, err);
	if (rc == 0) {
		name_release(&home, m->name, m->id);
		snprintf(m->name, sizeof(m->name), "%s", name);
		event_meta(session, "name", NULL, name, by);
		session_save(session);
		/* The answer lets clients use the name: it is in the file. */
		(void)manifest_writer_has_saved(session->manifest_writer);
		server_text_event(server, WIRE_EVENT_RENAMED, name);
	}
	home_close(&home);
	return rc;
}

void
naming_release(struct session *session)
{
	struct home home;

	if (open_home(session, &home, NULL) < 0)
		return;
	name_release(&home, session->manifest.name, session->manifest.id);
	home_close(&home);
}
