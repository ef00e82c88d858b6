#include "cmd/agent/replayed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/judge.h"
#include "agent/look.h"
#include "agent/profile.h"
#include "agent/profiles.h"
#include "agent/recognise.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cast/cast.h"
#include "cmd/line/out.h"
#include "home/words.h"
#include "op/question.h"
#include "vt/program_status.h"
#include "vt/vt.h"

#define PIECE (64u << 10)
#define READINGS_MAX 10000 /* the replay ends there, with an error */

/* Everything that is read at one moment. */
struct reading {
	struct agent_look look;
	enum activity title;
	const char *title_rule;
	enum program_state state;
	enum program_kind kind;
	bool question_open;
	char version[AGENT_VERSION_SIZE];
	struct agent_verdict verdict;
};

struct replayed {
	struct out *out;
	const struct agent_profiles *all;
	const struct agent_profile *profile; /* NULL: not found yet */
	bool searches;                       /* only for the profile */
	struct vt *vt;
	struct agent_evidence evidence;
	struct reading last;
	size_t n; /* readings so far */
	struct json_out json;
};

static const char *const boxes[] = {
	[AGENT_BOX_NONE] = "none",
	[AGENT_BOX_EMPTY] = "empty",
	[AGENT_BOX_DRAFT] = "draft",
};

/* ---------------------------------------------------------------- reading */

/* A source that says the same as before has done so since then. */
static void
hear(struct agent_said *said, struct agent_said now)
{
	bool same = said->activity == now.activity && said->what == now.what &&
	    said->proof == now.proof && said->unclear == now.unclear;

	if (same)
		now.since_ms = said->since_ms;
	*said = now;
}

static void
read_screen(struct replayed *r, struct reading *now)
{
	const char *title = vt_title(r->vt);

	agent_find_version(r->profile, r->vt, now->version);
	agent_look(r->profile, now->version, r->vt, &now->look);
	now->title = agent_read_title(r->profile, now->version, title,
	    &now->title_rule);
	now->question_open = question_find(r->vt, NULL) != QUESTION_NONE;
}

static void
judge(struct replayed *r, struct reading *now, int64_t ms)
{
	const struct program_status *s = vt_program_status(r->vt);
	struct agent_evidence *e = &r->evidence;

	now->state = s->state;
	now->kind = s->kind;
	hear(&e->by[AGENT_SOURCE_STATUS], agent_hear_status(s, ms));
	hear(&e->by[AGENT_SOURCE_TITLE],
	    (struct agent_said){ .activity = now->title,
		.since_ms = ms,
		.what = now->title_rule });
	hear(&e->by[AGENT_SOURCE_SCREEN],
	    (struct agent_said){ .activity = now->look.activity,
		.proof = now->look.proof,
		.since_ms = ms,
		.what = now->look.rule });
	e->question_open = now->question_open;
	e->unseen = now->look.unseen;
	e->why = now->look.why;
	agent_judge(e, &now->verdict);
}

static bool
is_same(const struct reading *a, const struct reading *b)
{
	return a->verdict.activity == b->verdict.activity &&
	    a->verdict.source == b->verdict.source &&
	    a->verdict.confidence == b->verdict.confidence &&
	    a->look.activity == b->look.activity &&
	    a->look.rule == b->look.rule && a->look.box == b->look.box &&
	    a->look.folded == b->look.folded && a->title == b->title &&
	    a->title_rule == b->title_rule && a->state == b->state &&
	    a->kind == b->kind && strcmp(a->version, b->version) == 0;
}

/* ------------------------------------------------------------------ output */

/* Everything that speaks; the version only when it is another. */
static void
put_evidence(struct buf *out, const struct reading *now,
    const struct reading *last)
{
	const char *state = program_state_name(now->state);
	const char *kind = program_kind_name(now->kind);

	if (state != NULL)
		buf_printf(out, "  status:%s%s%s", state,
		    kind != NULL ? "/" : "", kind != NULL ? kind : "");
	if (now->title_rule != NULL)
		buf_printf(out, "  title:%s", now->title_rule);
	if (now->look.rule != NULL)
		buf_printf(out, "  screen:%s", now->look.rule);
	if (strcmp(now->version, last->version) != 0) {
		buf_puts(out, "  version:");
		words_put_safe(out, now->version);
	}
}

static void
put_line(struct buf *out, const struct reading *now, const struct reading *last,
    double time)
{
	buf_printf(out, "%8.3f  %-18s  %-7s  %-5s", time,
	    activity_name(now->verdict.activity),
	    agent_source_name(now->verdict.source),
	    now->look.folded ? "fold" : boxes[now->look.box]);
	put_evidence(out, now, last);
	while (out->data[out->len - 1] == ' ')
		out->len--;
	buf_putc(out, '\n');
}

static void
put_json(struct json_out *j, const struct reading *now, double time)
{
	const struct agent_look *look = &now->look;

	json_out_open(j, '{');
	json_put_int(j, "time_ms", (int64_t)(time * 1e3));
	json_put_text(j, "activity", activity_name(now->verdict.activity));
	json_put_text(j, "source", agent_source_name(now->verdict.source));
	json_put_text(j, "confidence",
	    agent_confidence_name(now->verdict.confidence));
	json_put_text(j, "reason", now->verdict.reason);
	json_put_text(j, "screen", activity_name(look->activity));
	json_put_text(j, "rule", look->rule);
	json_put_maybe(j, "row", look->rule != NULL, look->row);
	json_put_text(j, "box", boxes[look->box]);
	json_put_bool(j, "folded", look->folded);
	json_put_text(j, "title", activity_name(now->title));
	json_put_text(j, "title_rule", now->title_rule);
	json_put_text(j, "status", program_state_name(now->state));
	json_put_text(j, "version", json_filled(now->version));
	json_out_close(j, '}');
}

static void
put_heading(struct replayed *r)
{
	if (r->out->json) {
		out_begin(r->out, &r->json);
		json_out_open(&r->json, '{');
		json_put_text(&r->json, "profile",
		    agent_profile_name(r->profile));
		json_put_open(&r->json, "readings", '[');
	} else {
		buf_printf(&r->out->buf, "%8s  %-18s  %-7s  %-5s  %s\n", "TIME",
		    "ACTIVITY", "SOURCE", "BOX", "EVIDENCE");
	}
}

/* ------------------------------------------------------------------ replay */

/* The first agent that the terminal shows, or NULL. */
static const struct agent_profile *
shown_agent(const struct replayed *r)
{
	const char *app = vt_program_status(r->vt)->app;
	const struct agent_profile *p = agent_recognise_app(r->all, app);
	char version[AGENT_VERSION_SIZE];

	for (size_t i = 0; p == NULL && i < agent_profiles_count(r->all); i++) {
		p = agent_profiles_at(r->all, i);
		if (!agent_find_version(p, r->vt, version))
			p = NULL;
	}
	return p;
}

static int
look(struct replayed *r, double time, struct error *err)
{
	struct reading now = { 0 };

	if (vt_in_sync(r->vt))
		return 0;
	if (r->searches) {
		r->profile = shown_agent(r);
		return r->profile != NULL;
	}
	memcpy(now.version, r->last.version, sizeof(now.version));
	read_screen(r, &now);
	judge(r, &now, (int64_t)(time * 1e3));
	if (r->n > 0 && is_same(&now, &r->last))
		return 0;
	if (r->n++ == READINGS_MAX)
		return error_set(err, E2BIG, "more than %d changes",
		    READINGS_MAX);
	if (r->out->json)
		put_json(&r->json, &now, time);
	else
		put_line(&r->out->buf, &now, &r->last, time);
	r->last = now;
	return 0;
}

static int
begin(struct replayed *r, const struct cast_event *ev, struct error *err)
{
	static const struct vt_ops quiet;
	struct vt_config config = {
		.cols = (uint16_t)ev->cols,
		.rows = (uint16_t)ev->rows,
		.ops = &quiet,
	};

	r->vt = vt_create(&config, err);
	return r->vt != NULL ? 0 : -EINVAL;
}

static int
feed(struct replayed *r, const struct cast_event *ev, struct error *err)
{
	const char *p = ev->data;
	size_t len = ev->len;
	int rc = 0;

	while (len > 0 && rc == 0) {
		size_t n = vt_feed_frame(r->vt, p, len);

		p += n;
		len -= n;
		rc = look(r, ev->time, err);
	}
	return rc;
}

static int
on_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct replayed *r = arg;

	if (ev->type == CAST_HEADER)
		return begin(r, ev, err);
	if (ev->type == CAST_OUTPUT)
		return feed(r, ev, err);
	if (ev->type != CAST_RESIZE)
		return 0;
	if (vt_resize(r->vt, ev->cols, ev->rows, err) < 0)
		return -EINVAL;
	return look(r, ev->time, err);
}

static int
play_all(struct cast *cast, int fd, struct error *err)
{
	auto_free char *piece = xmalloc(PIECE);
	int rc = 0;

	while (rc == 0) {
		ssize_t n = read(fd, piece, PIECE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(err, errno, "%s", strerror(errno));
		if (n == 0)
			return cast_end(cast, err);
		rc = cast_feed(cast, piece, (size_t)n, err);
	}
	return rc;
}

/* Returns the exit status. */
static int
play(struct replayed *r, const char *file)
{
	auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct cast *cast;
	struct error err;
	int rc;

	if (fd < 0)
		return out_fail(r->out, FAIL_INPUT,
		    "cannot open %s: %s; give an asciicast recording", file,
		    strerror(errno));
	cast = cast_create(on_event, r);
	rc = play_all(cast, fd, &err);
	cast_destroy(cast);
	vt_destroy(r->vt);
	r->vt = NULL;
	if (rc >= 0)
		return 0;
	return out_fail(r->out, FAIL_INPUT,
	    "cannot play %s as an asciicast recording: %s", file, err.msg);
}

static int
choose(struct replayed *r, const char *file, const char *name)
{
	int status = 0;

	if (name != NULL) {
		r->profile = agent_profiles_find(r->all, name);
		if (r->profile == NULL)
			return out_fail(r->out, FAIL_NOT_FOUND,
			    "no profile named \"%s\"; 'tend agent ls' lists "
			    "them",
			    name);
		return 0;
	}
	r->searches = true;
	status = play(r, file);
	r->searches = false;
	if (status == 0 && r->profile == NULL)
		return out_fail(r->out, FAIL_INPUT,
		    "no known agent names itself in %s; give --profile NAME",
		    file);
	return status;
}

int
replayed_print(struct out *out, const struct agent_profiles *all,
    const char *file, const char *profile, const char *version)
{
	struct replayed r = { .out = out, .all = all };
	int status = choose(&r, file, profile);

	if (status != 0)
		return status;
	if (version != NULL)
		snprintf(r.last.version, sizeof(r.last.version), "%s", version);
	put_heading(&r);
	status = play(&r, file);
	if (status != 0)
		return status;
	if (out->json) {
		json_out_close(&r.json, ']');
		json_out_close(&r.json, '}');
	}
	return out_send(out);
}
