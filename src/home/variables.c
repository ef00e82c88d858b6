#include "home/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/permit.h"
#include "session/environ.h"
#include "session/visit.h"

static int
fail(const struct handle *h, const struct error *err, struct fault *f)
{
	enum failure failure = FAIL_STORAGE;

	if (err->code == ENOENT)
		failure = FAIL_NOT_FOUND;
	return fault_set(f, failure, "session %s: %s", handle_name(h),
	    err->msg);
}

/* The link stays valid when the next visitor arrives. */
static const char *
value_now(const struct handle *h, char *const *env, const char *name,
    char link[PATH_MAX])
{
	if (strcmp(name, "SSH_AUTH_SOCK") == 0 &&
	    faccessat(h->dirfd, VISIT_LINK, F_OK, 0) == 0 &&
	    visit_link_path(&h->home, h->session.id, link, PATH_MAX))
		return link;
	return environ_value(env, name);
}

static int
each_of_visitor(const struct handle *h, variables_fn *fn, void *arg,
    struct fault *f)
{
	struct error err;
	char **env = visit_read(h->dirfd, &err);
	char link[PATH_MAX];

	if (env == NULL && err.code == EBADMSG)
		return fault_set(f, FAIL_REPLAY, "session %s: %s",
		    handle_name(h), err.msg);
	if (env == NULL)
		return fail(h, &err, f);
	for (const char *const *name = visit_names; *name != NULL; name++)
		fn(arg, *name, value_now(h, env, *name, link));
	mem_free_list(env);
	return 0;
}

static int
each_of_program(const struct handle *h, variables_fn *fn, void *arg,
    struct fault *f)
{
	struct error err;
	char **env = environ_read(h->dirfd, h->session.environ_crc, &err);

	if (env == NULL)
		return fail(h, &err, f);
	for (char **pair = env; *pair != NULL; pair++) {
		char *equals = strchr(*pair, '=');

		if (equals == NULL)
			continue;
		*equals = '\0';
		fn(arg, *pair, equals + 1);
	}
	mem_free_list(env);
	return 0;
}

/* A program may always learn who visited its own session. */
static int
check(const struct handle *h, enum variables_of of, struct fault *f)
{
	if (of == VARIABLES_OF_VISITOR && permit_is_own(&h->home, &h->session))
		return 0;
	return permit_session(&h->home, &h->session, OP_ADMIN, f);
}

int
variables_each(const struct handle *h, enum variables_of of, variables_fn *fn,
    void *arg, struct fault *f)
{
	if (check(h, of, f) < 0)
		return -1;
	return of == VARIABLES_OF_VISITOR ? each_of_visitor(h, fn, arg, f) :
					    each_of_program(h, fn, arg, f);
}

static void
put(void *arg, const char *name, const char *value)
{
	json_put_text(arg, name, value);
}

int
variables_json(const struct handle *h, enum variables_of of, struct json_out *j,
    struct fault *f)
{
	int rc;

	json_out_open(j, '{');
	rc = variables_each(h, of, put, j, f);
	json_out_close(j, '}');
	return rc;
}
