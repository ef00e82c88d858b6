#include "session/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/mem.h"
#include "session/home.h"
#include "session/manifest.h"

#define PREFIX_MIN 4
#define CANDIDATES_SHOWN 5
#define LAUNCH_LIMIT_MS 15000

/* Read the reconciled manifest and open the directory. */
static int
open_session(const struct home *h, const char *id, struct manifest *m,
    int *dirfd, struct error *err)
{
	auto_close int fd = home_session_dir(h, id, err);
	struct error why;
	int rc;

	if (fd < 0)
		return fd;
	rc = manifest_read_now(fd, m, &why);
	if (rc < 0)
		return error_set(err, -rc, "session %s: %s", id, why.msg);
	manifest_believe_id(m, id);
	*dirfd = fd_take(&fd);
	return 0;
}

/* A session without session.json is still starting. */
static bool
is_being_started(const char *id)
{
	return (uint64_t)clock_ms(CLOCK_REALTIME) <
	    id_time_ms(id) + LAUNCH_LIMIT_MS;
}

bool
find_is_active(void *home, const char *id)
{
	auto_close int fd = home_session_dir(home, id, NULL);
	struct manifest m;
	bool active;
	int rc;

	if (fd < 0)
		return false;
	rc = manifest_read_now(fd, &m, NULL);
	if (rc == -ENOENT)
		return is_being_started(id);
	if (rc < 0)
		return false;
	active = status_is_active(m.status);
	manifest_finish(&m);
	return active;
}

/* The sessions that one argument may name. */
struct search {
	const struct home *home;
	unsigned flags;
	const char *name;
	char prefix[ID_SIZE]; /* "": the argument is no id prefix */
	unsigned n_prefix;    /* sessions with this prefix */
	char found[CANDIDATES_SHOWN][ID_SIZE];
	char named[ID_SIZE];           /* "": none so far */
	char *begin[CANDIDATES_SHOWN]; /* active ones whose names begin so */
	unsigned n_begin;
	char shadow[ID_SIZE]; /* the newest whose name is unreadable, or "" */
};

static bool
is_wanted(const struct search *s, const struct manifest *m)
{
	return m->status != STATUS_DESTROYED || (s->flags & FIND_DESTROYED);
}

/*
 * True if the session exists, is wanted, and (unless NULL) has this name.
 * Sessions are checked newest first, so the first with an unreadable name is
 * remembered.
 */
static bool
has_name(struct search *s, const char *id, const char *name)
{
	struct manifest m;
	bool yes, unsure;
	int fd, rc = open_session(s->home, id, &m, &fd, NULL);

	unsure = rc == -EBADMSG;
	yes = false;
	if (rc == 0) {
		close(fd);
		yes = is_wanted(s, &m) &&
		    (name == NULL || strcmp(m.name, name) == 0);
		unsure = !yes && m.suspect;
		manifest_finish(&m);
	}
	if (unsure && s->shadow[0] == '\0')
		memcpy(s->shadow, id, ID_SIZE);
	return yes;
}

static int
on_newest(void *arg, const char *id)
{
	struct search *s = arg;

	if (!has_name(s, id, NULL))
		return 0;
	memcpy(s->named, id, ID_SIZE);
	return 1;
}

static int
on_same_name(void *arg, const char *id)
{
	struct search *s = arg;

	if (!has_name(s, id, s->name))
		return 0;
	memcpy(s->named, id, ID_SIZE);
	return 1;
}

static int
on_same_prefix(void *arg, const char *id)
{
	struct search *s = arg;

	if (strncmp(id, s->prefix, strlen(s->prefix)) != 0 ||
	    !has_name(s, id, NULL))
		return 0;
	if (s->n_prefix < CANDIDATES_SHOWN)
		memcpy(s->found[s->n_prefix], id, ID_SIZE);
	s->n_prefix++;
	return 0;
}

/* Normalise the beginning of an id: filled up, it must be a valid id. */
static void
set_prefix(struct search *s, const char *arg)
{
	size_t len = strlen(arg);
	char id[ID_SIZE];

	if (len < PREFIX_MIN || len >= ID_SIZE)
		return;
	memset(id, '0', ID_SIZE - 1);
	id[ID_SIZE - 1] = '\0';
	memcpy(id, arg, len);
	if (id_parse(id, id) < 0)
		return;
	id[len] = '\0';
	memcpy(s->prefix, id, len + 1);
}

/*
 * An active session by its claim; otherwise the newest that has or had the
 * name.
 */
static int
search_name(struct search *s, struct error *err)
{
	char id[ID_SIZE];
	int rc;

	if (name_check(s->name, NULL) < 0)
		return 0;
	if (name_holder(s->home, s->name, id) == 0 &&
	    has_name(s, id, s->name) &&
	    find_is_active((void *)(uintptr_t)s->home, id)) {
		memcpy(s->named, id, ID_SIZE);
		s->shadow[0] = '\0';
		return 0;
	}
	rc = home_each(s->home, on_same_name, s, err);
	return rc < 0 ? rc : 0;
}

static int
not_unique(const struct search *s, struct error *err)
{
	char list[CANDIDATES_SHOWN * (ID_SIZE + 1) + 64] = "";
	size_t len = 0;
	unsigned shown = 0;

	for (; shown < s->n_prefix && shown < CANDIDATES_SHOWN; shown++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
		    shown > 0 ? ", " : "", s->found[shown]);
	if (s->n_prefix > shown)
		snprintf(list + len, sizeof(list) - len, " and %u more",
		    s->n_prefix - shown);
	else if (s->named[0] != '\0')
		snprintf(list + len, sizeof(list) - len, ", and the name of %s",
		    s->named);
	return error_set(err, ENOTUNIQ, "%s could be %s", s->name, list);
}

static int
search(struct search *s, struct error *err)
{
	int rc = search_name(s, err);

	if (rc < 0)
		return rc;
	if (s->prefix[0] != '\0')
		rc = home_each(s->home, on_same_prefix, s, err);
	if (rc < 0)
		return rc;
	if (s->n_prefix == 1 &&
	    (s->named[0] == '\0' || strcmp(s->named, s->found[0]) == 0)) {
		memcpy(s->named, s->found[0], ID_SIZE);
		s->shadow[0] = '\0';
		return 0;
	}
	/*
	 * People type names, and many ids share a beginning: prefer the name.
	 */
	if (s->n_prefix == 1 || (s->n_prefix > 1 && s->named[0] == '\0'))
		return not_unique(s, err);
	return 0;
}

/* The beginning of a name never matches an ended session. */
static int
on_same_beginning(void *arg, const char *id)
{
	struct search *s = arg;
	struct manifest m;
	int fd;

	if (open_session(s->home, id, &m, &fd, NULL) < 0)
		return 0;
	close(fd);
	if (status_is_active(m.status) &&
	    strncmp(m.name, s->name, strlen(s->name)) == 0) {
		if (s->n_begin < CANDIDATES_SHOWN)
			s->begin[s->n_begin] = xstrdup(m.name);
		s->n_begin++;
		memcpy(s->named, id, ID_SIZE);
	}
	manifest_finish(&m);
	return 0;
}

static int
search_beginning(struct search *s, struct error *err)
{
	int rc = home_each(s->home, on_same_beginning, s, err);
	char list[CANDIDATES_SHOWN * 64 + 32] = "";
	size_t len = 0;
	unsigned shown = 0;

	for (; shown < s->n_begin && shown < CANDIDATES_SHOWN; shown++) {
		len += (size_t)snprintf(list + len, sizeof(list) - len,
		    "%s%.60s", shown > 0 ? ", " : "", s->begin[shown]);
		free(s->begin[shown]);
	}
	if (rc < 0 || s->n_begin < 2)
		return rc < 0 ? rc : 0;
	if (s->n_begin > shown)
		snprintf(list + len, sizeof(list) - len, " and %u more",
		    s->n_begin - shown);
	return error_set(err, ENOTUNIQ, "%s could be %s", s->name, list);
}

static int
search_newest(struct search *s, struct error *err)
{
	int rc;

	if (!(s->flags & FIND_NEWEST_OK))
		return error_set(err, EINVAL,
		    "which session? give its name or id");
	rc = home_each(s->home, on_newest, s, err);
	return rc < 0 ? rc : 0;
}

static int
open_wanted(const struct search *s, struct manifest *m, int *dirfd,
    struct error *err)
{
	int rc = open_session(s->home, s->named, m, dirfd, err);

	if (rc < 0 || is_wanted(s, m))
		return rc;
	manifest_finish(m);
	fd_close(dirfd);
	return error_set(err, ENOENT, "session %s was destroyed", s->named);
}

int
find_session(const struct home *h, const char *arg, unsigned flags,
    struct manifest *m, int *dirfd, struct error *err)
{
	struct search s = { .home = h, .flags = flags, .name = arg };
	int rc = 0;

	manifest_init(m);
	*dirfd = -1;
	if (arg == NULL) {
		rc = search_newest(&s, err);
	} else if (id_parse(arg, s.named) < 0) {
		set_prefix(&s, arg);
		rc = search(&s, err);
		if (rc == 0 && s.named[0] == '\0' && s.shadow[0] == '\0' &&
		    (flags & FIND_BEGINNING) && arg[0] != '\0')
			rc = search_beginning(&s, err);
	}
	if (rc < 0)
		return rc;
	if (s.named[0] == '\0' && s.shadow[0] != '\0')
		return error_set(err, EBADMSG,
		    "no readable session %s, but session.json of %s is "
		    "damaged: give its id if you mean that one",
		    arg != NULL ? arg : "here", s.shadow);
	if (s.named[0] == '\0' && arg == NULL)
		return error_set(err, ENOENT, "there is no session in %s",
		    h->path);
	if (s.named[0] == '\0')
		return error_set(err, ENOENT, "no session named \"%s\"", arg);
	rc = open_wanted(&s, m, dirfd, err);
	if (rc == 0 && strcmp(s.shadow, m->id) > 0)
		memcpy(m->shadow, s.shadow, ID_SIZE);
	return rc;
}
