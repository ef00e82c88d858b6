#include "home/start.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "home/config.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/report.h"
#include "home/units.h"
#include "session/launch.h"
#include "session/quota.h"

/* A limit from the environment, or unchanged without it; 0 or -EINVAL. */
static int
take_number(const char *name, unsigned *out, struct error *err)
{
	const char *text = getenv(name);
	uint64_t n;

	if (text == NULL)
		return 0;
	if (!units_number(text, UINT_MAX, &n))
		return error_set(err, EINVAL,
		    "%s=%.50s: give a number, or 0 for no limit", name, text);
	*out = (unsigned)n;
	return 0;
}

static int
read_quota(const struct config *c, struct quota *q, struct error *err)
{
	const char *min_free = getenv("TEND_MIN_FREE");
	struct error why;
	int rc;

	*q = (struct quota){
		(unsigned)config_number(c, CONFIG_MAX_SESSIONS),
		(unsigned)config_number(c, CONFIG_MAX_RATE),
		config_number(c, CONFIG_MIN_FREE),
	};
	if ((rc = take_number("TEND_MAX_SESSIONS", &q->max_sessions, err)) <
		0 ||
	    (rc = take_number("TEND_MAX_RATE", &q->rate, err)) < 0)
		return rc;
	if (min_free != NULL && units_size(min_free, &q->min_free, &why) < 0)
		return error_set(err, EINVAL, "TEND_MIN_FREE: %.200s", why.msg);
	return 0;
}

static int
take_quota(const struct home *h, const struct config *c, struct report *r,
    struct error *err)
{
	struct quota q;
	char note[256];
	int rc = read_quota(c, &q, err);

	if (rc == 0)
		rc = quota_take(h, &q, note, sizeof(note), err);
	if (rc == 0 && note[0] != '\0')
		report_note(r, "%s", note);
	return rc;
}

static enum failure
start_failure(int rc)
{
	switch (rc) {
	case -EEXIST:
		return FAIL_EXISTS;
	case -ENOSPC:
	case -EDQUOT:
	case -EROFS:
	case -EIO:
		return FAIL_STORAGE;
	case -EAGAIN:
	case -EMFILE:
	case -ENFILE:
		return FAIL_BUSY;
	default:
		return FAIL_INPUT;
	}
}

int
start_session(struct handle *h, char **env, const struct config *c,
    struct report *r, struct fault *f)
{
	struct error err = { 0 };
	int status = 0, rc = take_quota(&h->home, c, r, &err);

	if (rc == 0)
		rc = launch_session(&h->home, &h->session, env, &status, &err);
	if (rc == 0 && h->session.unenforced != NULL)
		report_note(r, "limits not enforced: %s",
		    h->session.unenforced);
	if (rc == 0) {
		h->dirfd = home_session_dir(&h->home, h->session.id, &err);
		rc = h->dirfd < 0 ? h->dirfd : 0;
	}
	if (rc == 0)
		return 0;
	fault_set(f, start_failure(rc), "%s", err.msg);
	f->status = status;
	return -1;
}
