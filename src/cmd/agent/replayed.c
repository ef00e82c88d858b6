#include "cmd/agent/replayed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/box.h"
#include "agent/judge.h"
#include "agent/look.h"
#include "agent/observer.h"
#include "agent/profile.h"
#include "agent/profiles.h"
#include "agent/recognise.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cast/cast.h"
#include "cmd/line/out.h"
#include "home/words.h"
#include "vt/program_status.h"
#include "vt/vt.h"

#define PIECE (64u << 10)
#define READINGS_MAX 10000 /* the replay ends there, with an error */

/* Everything that is read at one moment. */
struct reading {
	struct agent_observer seen;
	enum program_state state;
	enum program_kind kind;
};

struct replayed {
	struct out *out;
	const struct agent_profiles *all;
	bool searches; /* only for the profile */
	struct vt *vt;
	struct agent_observer observer; /* profile NULL: not found yet */
	struct reading last;
	size_t n; /* readings so far */
	struct json_out json;
};

/* ---------------------------------------------------------------- reading */

static void
read_terminal(struct replayed *r, struct reading *now, int64_t ms)
{
	const struct program_status *s = vt_program_status(r->vt);

	agent_observe(&r->observer, r->vt, ms);
	now->seen = r->observer;
	now->state = s->state;
	now->kind = s->kind;
}

/* The title of a reading that may have been copied. */
static const struct agent_said *
title_of(const struct reading *r)
{
	return &r->seen.evidence.by[AGENT_SOURCE_TITLE];
}

static bool
is_same(const struct reading *a, const struct reading *b)
{
	return a->seen.verdict.activity == b->seen.verdict.activity &&
	    a->seen.verdict.source == b->seen.verdict.source &&
	    a->seen.verdict.confidence == b->seen.verdict.confidence &&
	    a->seen.look.activity == b->seen.look.activity &&
	    a->seen.look.rule == b->seen.look.rule &&
	    a->seen.look.box == b->seen.look.box &&
	    a->seen.look.folded == b->seen.look.folded &&
	    title_of(a)->activity == title_of(b)->activity &&
	    title_of(a)->what == title_of(b)->what && a->state == b->state &&
	    a->kind == b->kind && strcmp(a->seen.version, b->seen.version) == 0;
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
	if (title_of(now)->what != NULL)
		buf_printf(out, "  title:%s", title_of(now)->what);
	if (now->seen.look.rule != NULL)
		buf_printf(out, "  screen:%s", now->seen.look.rule);
	if (strcmp(now->seen.version, last->seen.version) != 0) {
		buf_puts(out, "  version:");
		words_put_safe(out, now->seen.version);
	}
}

static void
put_line(struct buf *out, const struct reading *now, const struct reading *last,
    double time)
{
	buf_printf(out, "%8.3f  %-18s  %-7s  %-5s", time,
	    activity_name(now->seen.verdict.activity),
	    agent_source_name(now->seen.verdict.source),
	    now->seen.look.folded ? "fold" :
				    agent_box_name(now->seen.look.box));
	put_evidence(out, now, last);
	while (out->data[out->len - 1] == ' ')
		out->len--;
	buf_putc(out, '\n');
}

static void
put_json(struct json_out *j, const struct reading *now, double time)
{
	const struct agent_look *look = &now->seen.look;

	json_out_open(j, '{');
	json_put_int(j, "time_ms", (int64_t)(time * 1e3));
	json_put_text(j, "activity", activity_name(now->seen.verdict.activity));
	json_put_text(j, "source", agent_source_name(now->seen.verdict.source));
	json_put_text(j, "confidence",
	    agent_confidence_name(now->seen.verdict.confidence));
	json_put_text(j, "reason", now->seen.verdict.reason);
	json_put_text(j, "screen", activity_name(look->activity));
	json_put_text(j, "rule", look->rule);
	json_put_maybe(j, "row", look->rule != NULL, look->row);
	json_put_text(j, "box", agent_box_name(look->box));
	json_put_bool(j, "folded", look->folded);
	json_put_text(j, "title", activity_name(title_of(now)->activity));
	json_put_text(j, "title_rule", title_of(now)->what);
	json_put_text(j, "status", program_state_name(now->state));
	json_put_text(j, "version", json_filled(now->seen.version));
	json_out_close(j, '}');
}

static void
put_heading(struct replayed *r)
{
	if (r->out->json) {
		out_begin(r->out, &r->json);
		json_out_open(&r->json, '{');
		json_put_text(&r->json, "profile",
		    agent_profile_name(r->observer.profile));
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
		r->observer.profile = shown_agent(r);
		return r->observer.profile != NULL;
	}
	read_terminal(r, &now, (int64_t)(time * 1e3));
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
		r->observer.profile = agent_profiles_find(r->all, name);
		if (r->observer.profile == NULL)
			return out_fail(r->out, FAIL_NOT_FOUND,
			    "no profile named \"%s\"; 'tend agent ls' lists "
			    "them",
			    name);
		return 0;
	}
	r->searches = true;
	status = play(r, file);
	r->searches = false;
	if (status == 0 && r->observer.profile == NULL)
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
		snprintf(r.observer.version, sizeof(r.observer.version), "%s",
		    version);
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
