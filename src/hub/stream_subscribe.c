#include "hub/stream_subscribe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "home/fault.h"
#include "hub/access.h"
#include "hub/api.h"
#include "hub/audit.h"
#include "hub/hub.h"
#include "hub/stream_events.h"
#include "hub/stream_home.h"
#include "hub/stream_message.h"
#include "hub/stream_output.h"
#include "hub/stream_screen.h"
#include "hub/stream_send.h"
#include "hub/stream_state.h"
#include "hub/subscription.h"
#include "op/ops.h"
#include "session/home.h"

typedef struct subscription *create_fn(struct stream *stream,
    const struct stream_message *m);

static create_fn *const kinds[STREAM_WANTS] = {
	[STREAM_OUTPUT] = stream_output_create,
	[STREAM_SCREEN] = stream_screen_create,
	[STREAM_THUMBNAIL] = stream_screen_create,
	[STREAM_EVENTS] = stream_events_create,
	[STREAM_HOME] = stream_home_create,
};

static int
check(struct stream *s, const struct stream_message *m, struct fault *f)
{
	if (m->want == STREAM_HOME && !s->hub->ready)
		return fault_set(f, FAIL_BUSY,
		    "the hub still reads the sessions of its home");
	if (subscription_find(s, m->sub) != NULL)
		return fault_set(f, FAIL_USAGE,
		    "the subscription %u exists already", m->sub);
	if (s->n_subscriptions >= STREAM_SUBSCRIPTIONS)
		return fault_set(f, FAIL_BUSY,
		    "the connection has %d subscriptions, the most it can have",
		    STREAM_SUBSCRIPTIONS);
	return 0;
}

/* Subscriptions of all streams that are connected to this session's host. */
static size_t
count(const struct streams *all, const char *session)
{
	size_t n = 0;

	list_for_each(it, &all->list) {
		const struct stream *s = container_of(it, struct stream, link);

		list_for_each(at, &s->subscriptions) {
			const struct subscription *sub = container_of(at,
			    struct subscription, link);

			n += sub->channel != NULL &&
			    strcmp(sub->id, session) == 0;
		}
	}
	return n;
}

/* Find the session, and what the client may do with it. */
static int
find(struct stream *s, const struct stream_message *m, struct api_target *t,
    int *dirfd, struct fault *f)
{
	struct error err;

	if (m->want == STREAM_HOME)
		return 0;
	if (api_find(s->hub, &s->who, m->session, t, f) < 0)
		return -1;
	if (!(t->granted & (1u << OP_OBSERVE)))
		return fault_set(f, FAIL_NOT_FOUND,
		    "there is no session \"%.100s\"", m->session);
	if (count(s->hub->streams, t->id) >=
	    access_share(&s->who, STREAM_VIEWERS))
		return fault_set(f, FAIL_BUSY,
		    "the session has too many viewers");
	*dirfd = home_session_dir(&s->hub->home, t->id, &err);
	if (*dirfd < 0)
		return fault_set(f,
		    *dirfd == -ENOENT ? FAIL_NOT_FOUND : FAIL_STORAGE, "%s",
		    err.msg);
	return 0;
}

static void
answer(const struct subscription *s, uint64_t id)
{
	stream_send_answer(s->stream, id,
	    s->id[0] == '\0' ?
		json_pack("{s:I}", "sub", (json_int_t)s->number) :
		json_pack("{s:I,s:s,s:s,s:s}", "sub", (json_int_t)s->number,
		    "session", s->id, "name", s->name, "granted",
		    s->readwrite ? "readwrite" : "readonly"));
}

static void
begin_audit(struct subscription *s, const struct stream_message *m)
{
	const struct audit_use use = { .who = &s->stream->who,
		.from = s->stream->from,
		.what = "observe",
		.session = s->id,
		.name = s->name,
		.mode = s->readwrite ? "drive" : "observe" };

	if (s->want != STREAM_HOME)
		s->audit = audit_begin(s->stream->hub->audit, &use,
		    m->readwrite && !s->readwrite ? AUDIT_DOWNGRADED :
						    AUDIT_ALLOWED);
}

static void
refuse(struct stream *s, const struct stream_message *m,
    const struct api_target *t, const struct fault *f)
{
	const struct audit_use use = { .who = &s->who,
		.from = s->from,
		.what = "observe",
		.session = t->id,
		.name = t->name };

	/* A wrong name is no denial. */
	if (f->failure == FAIL_NOT_FOUND && t->id[0] != '\0')
		audit_denied(s->hub->audit, &use);
	stream_send_fault(s, m->id, f);
}

void
stream_subscribe(struct stream *s, const struct stream_message *m)
{
	struct api_target t = { .granted = 0 };
	struct subscription *made;
	struct fault f;
	int dirfd = -1;

	if (check(s, m, &f) < 0 || find(s, m, &t, &dirfd, &f) < 0) {
		refuse(s, m, &t, &f);
		return;
	}
	made = kinds[m->want](s, m);
	made->dirfd = dirfd;
	snprintf(made->id, sizeof(made->id), "%s", t.id);
	snprintf(made->name, sizeof(made->name), "%s", t.name);
	made->readwrite = m->readwrite && m->want != STREAM_EVENTS &&
	    (t.granted & (1u << OP_DRIVE));
	begin_audit(made, m);
	answer(made, m->id);
	made->kind->begin(made);
}
