#include "host/life/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "host/life/keeper_link.h"
#include "keep/control.h"
#include "keep/ring.h"
#include "log/reader.h"
#include "log/replay.h"
#include "op/ledger.h"
#include "session/manifest.h"
#include "vt/vt.h"

static int
try_ring(struct error *err)
{
	struct ring ring;
	int rc = ring_map(&ring, CONTROL_RING);

	if (rc == -EPROTO)
		return error_set(err, EPROTO,
		    "the session's keeper has memory of another version than "
		    "this tend's (%u)",
		    RING_VERSION);
	if (rc < 0)
		return error_set(err, -rc, "cannot map the ring: %s",
		    strerror(-rc));
	ring_unmap(&ring);
	return 0;
}

static int
try_manifest(int dirfd, struct error *err)
{
	struct manifest m;
	int rc = manifest_read(dirfd, &m, err);

	manifest_finish(&m);
	return rc;
}

/*
 * A log without a screen is no reason to stop: the present host may have no
 * better one.  A crash in here is.
 */
static void
try_screen(int dirfd)
{
	auto_close int fd = openat(dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ledger ledger = { 0 };
	const struct replay_watch watch = {
		.story = &ledger_story,
		.story_arg = &ledger,
	};
	struct log_reader *reader = NULL;
	struct replay end = { 0 };

	if (fd >= 0 && log_reader_open(&reader, fd, NULL) == 0)
		replay_end_watched(reader, true, &watch, &end, NULL);
	ledger_finish(&ledger);
	vt_destroy(end.vt);
	log_reader_close(reader);
}

static int
try_all(int dirfd, struct error *err)
{
	int rc = try_ring(err);

	if (rc == 0)
		rc = try_manifest(dirfd, err);
	failpoint("trial-screen");
	if (rc == 0)
		try_screen(dirfd);
	return rc;
}

static void
say(int control, enum control_type type, const char *why)
{
	struct control c = { .type = type };

	if (type == CONTROL_FAILED) {
		c.u.failed.how = CONTROL_FAILED_SAYS;
		snprintf(c.u.failed.why, sizeof(c.u.failed.why), "%.*s",
		    CONTROL_WHY_MAX - 1, why);
	}
	control_send(control, &c, -1);
}

int
trial_run(int control, int dirfd, struct control *hello, struct error *err)
{
	int rc = try_all(dirfd, err);

	if (rc < 0) {
		say(control, CONTROL_FAILED, err->msg);
		return rc;
	}
	failpoint("trial-done");
	say(control, CONTROL_READY, NULL);
	failpoint("trial-ready");
	rc = keeper_link_hello(control, -1, hello, err);
	failpoint("trial-go");
	return rc;
}
