#include "home/permit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "home/fault.h"
#include "session/confinement.h"
#include "session/home.h"

void
permit_init(struct permit *p, const struct home *h)
{
	struct stat st = { 0 };

	*p = (struct permit){ 0 };
	around_find_own(&p->around);
	/* A grant never matches a home that cannot be read. */
	if (h != NULL && h->sessions_fd >= 0)
		(void)fstat(h->sessions_fd, &st);
	p->home_dev = st.st_dev;
	p->home_ino = st.st_ino;
}

void
permit_finish(struct permit *p)
{
	around_finish(&p->around);
}

int
permit_certain(const struct permit *p, struct error *err)
{
	if (!p->around.doubtful)
		return 0;
	return error_set(err, EACCES,
	    "cannot tell which session this process is in, so it may use "
	    "none; run tend where /proc shows all its parents, and there are "
	    "at most %d",
	    AROUND_ANCESTORS_MAX);
}

static const char *
name_of(const struct manifest *m)
{
	return m->name[0] != '\0' ? m->name : m->id;
}

static bool
is_own(const struct permit *p, const struct confinement *target)
{
	const struct around *a = &p->around;

	return a->n > 0 && strcmp(a->sessions[0].id, target->id) == 0 &&
	    confinement_is_one_home(&a->sessions[0], target);
}

static int
check_sight(const struct permit *p, const struct manifest *m, struct error *err)
{
	struct confinement target;
	int rc = permit_certain(p, err);

	if (rc < 0)
		return rc;
	confinement_of(&target, m, p->home_dev, p->home_ino);
	if (is_own(p, &target))
		return 0;
	return around_check_any(&p->around, &target, name_of(m), err);
}

bool
permit_sees(const struct permit *p, const struct manifest *m)
{
	return check_sight(p, m, NULL) == 0;
}

static int
end(struct permit *p, int rc, const struct error *err, struct fault *f)
{
	permit_finish(p);
	return rc < 0 ? fault_set(f, FAIL_DENIED, "%s", err->msg) : 0;
}

int
permit_find(const struct home *h, const struct manifest *m, struct fault *f)
{
	struct error err;
	struct permit p;

	permit_init(&p, h);
	return end(&p, check_sight(&p, m, &err), &err, f);
}

int
permit_session(const struct home *h, const struct manifest *m,
    enum op_permission permission, struct fault *f)
{
	struct confinement target;
	struct error err;
	struct permit p;
	int rc;

	if (permission == OP_OBSERVE)
		return permit_find(h, m, f);
	permit_init(&p, h);
	confinement_of(&target, m, p.home_dev, p.home_ino);
	rc = permit_certain(&p, &err);
	if (rc == 0)
		rc = around_check(&p.around, &target, name_of(m), permission,
		    &err);
	return end(&p, rc, &err, f);
}

/* Lists show only what may be seen, and all sessions may create others. */
int
permit_home(enum op_permission permission, struct fault *f)
{
	struct error err;
	struct permit p;
	int rc;

	if (permission == OP_OBSERVE || permission == OP_CREATE)
		return 0;
	permit_init(&p, NULL);
	rc = permit_certain(&p, &err);
	for (size_t i = 0; rc == 0 && i < p.around.n; i++)
		if (p.around.sessions[i].confined)
			rc = error_set(&err, EACCES,
			    "session %s is confined and may not %s a home; "
			    "run this outside of it",
			    p.around.sessions[i].id,
			    op_permission_name(permission));
	return end(&p, rc, &err, f);
}

int
permit_operation(const struct home *h, const struct manifest *m, unsigned needs,
    struct fault *f)
{
	int rc = 0;

	for (unsigned p = 0; rc == 0 && p < OP_PERMISSIONS; p++) {
		if (!(needs & 1u << p))
			continue;
		rc = m == NULL || p == OP_CREATE ? permit_home(p, f) :
						   permit_session(h, m, p, f);
	}
	return rc;
}

bool
permit_is_own(const struct home *h, const struct manifest *m)
{
	struct confinement target;
	struct permit p;
	bool own;

	permit_init(&p, h);
	confinement_of(&target, m, p.home_dev, p.home_ino);
	own = is_own(&p, &target);
	permit_finish(&p);
	return own;
}
