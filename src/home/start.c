#include "home/start.h"

#include <errno.h>

#include "base/error.h"
#include "home/config.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/report.h"
#include "session/launch.h"
#include "session/quota.h"

static int
read_quota(const struct config *c, struct quota *q, struct error *err)
{
	uint64_t n;
	int rc;

#define QUOTA(NAME, member, ...) \
	rc = config_limit(c, CONFIG_##NAME, &n, err); \
	if (rc < 0) \
		return rc; \
	q->member = n;
#include "home/config.def"
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
	default:
		return fault_shortage(-rc, FAIL_INPUT);
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
