/*
 * The recordings of real agents in DIR, tests/data/agents: in no moment that
 * truth.json labels is the screen read wrong, or the verdict wrong, with or
 * without the status that the agent reports.  Unknown is not wrong.
 */
#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/judge.h"
#include "agent/look.h"
#include "agent/profile.h"
#include "agent/profiles.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "cast/cast.h"
#include "op/question.h"
#include "vt/program_status.h"

#include "vt_make.h"

#define FILE_BYTES (8u << 20)
#define LATE 1e-6 /* of a time that was written with few digits */
#define HALF 5e-3 /* a frame that was drawn on so soon was only a half */

static const char *dir;

/* A replay.  Names of recordings are AGENT-VERSION-SCENE. */
struct replay {
	const char *name;
	const json_t *moments;
	struct agent_profiles *all;
	const struct agent_profile *profile;
	char version[AGENT_VERSION_SIZE];
	struct vt *vt;
	double since; /* the frame is on the screen; 0: none is */
	double time;  /* of what is checked */
	struct agent_look look;
	struct agent_evidence evidence;
	struct agent_verdict verdict;
	struct agent_verdict silent; /* the same without OSC 7501 */
	size_t frames, wrong, unknown;
};

static const char *const boxes[] = { "none", "empty", "draft" };

/* A turn that has ended is idle on a screen, and done in a status. */
static enum activity
shown(enum activity a)
{
	return a == ACTIVITY_DONE ? ACTIVITY_IDLE : a;
}

static void
blame(struct replay *r, const json_t *moment, const char *what,
    const char *said)
{
	r->wrong++;
	print_error("%s at %.3f (%s: %s, %s): the %s is %s%s%s\n", r->name,
	    r->time, json_string_value(json_object_get(moment, "note")),
	    json_string_value(json_object_get(moment, "state")),
	    json_string_value(json_object_get(moment, "box")), what, said,
	    r->look.rule != NULL ? ", by " : "",
	    r->look.rule != NULL ? r->look.rule : "");
}

/* A menu that the user has opened takes all keys, so it is a dialog. */
static bool
has_box(const json_t *moment)
{
	return strcmp(json_string_value(json_object_get(moment, "box")),
		   "none") != 0;
}

static void
check_activity(struct replay *r, const json_t *moment, const char *what,
    enum activity said)
{
	const char *name = json_string_value(json_object_get(moment, "state"));
	enum activity truth;

	if (strcmp(name, "starting") == 0)
		truth = ACTIVITY_UNKNOWN;
	else
		assert_int_equal(activity_parse(name, &truth), 0);
	if (truth == ACTIVITY_IDLE && !has_box(moment))
		truth = ACTIVITY_WAITING_QUESTION;
	if (said == ACTIVITY_UNKNOWN)
		return;
	if (shown(said) != shown(truth))
		blame(r, moment, what, activity_name(said));
}

/* Without marks for frames, the box of a half may not have been drawn yet. */
static void
check_box(struct replay *r, const json_t *moment, bool half)
{
	const char *box = json_string_value(json_object_get(moment, "box"));

	if (half && r->look.box == AGENT_BOX_NONE)
		return;
	if (strcmp(boxes[r->look.box], box) != 0)
		blame(r, moment, "box", boxes[r->look.box]);
}

/* True if a host would not have taken the moment for idle: it was too short. */
static bool
is_passing(const json_t *moment)
{
	double from = json_number_value(json_object_get(moment, "from"));
	double to = json_number_value(json_object_get(moment, "to"));

	return strcmp(json_string_value(json_object_get(moment, "state")),
		   "starting") == 0 &&
	    (to - from) * 1e3 < AGENT_HOLD_MS;
}

static void
check_moment(struct replay *r, const json_t *moment, bool half)
{
	r->frames++;
	if (is_passing(moment))
		return;
	check_activity(r, moment, "screen", r->look.activity);
	check_activity(r, moment, "verdict", r->verdict.activity);
	check_activity(r, moment, "verdict without a status",
	    r->silent.activity);
	check_box(r, moment, half);
	r->unknown += r->verdict.activity == ACTIVITY_UNKNOWN;
}

/* All moments that have a part in [from, to). */
static void
check(struct replay *r, double from, double to)
{
	const json_t *moment;
	size_t i;

	json_array_foreach(r->moments, i, moment)
	{
		double begin = json_number_value(
		    json_object_get(moment, "from"));
		double end = json_number_value(json_object_get(moment, "to"));

		r->time = from;
		if (begin < to - LATE && end > from + LATE)
			check_moment(r, moment, to - from < HALF);
	}
}

static void
say(struct agent_said *said, enum activity a, const char *what, bool proof,
    int64_t ms)
{
	if (said->activity == a && said->what == what)
		ms = said->since_ms;
	*said = (struct agent_said){ .activity = a,
		.what = what,
		.proof = proof,
		.since_ms = ms };
}

static void
read_all(struct replay *r, double time)
{
	const struct program_status *s = vt_program_status(r->vt);
	struct agent_evidence *e = &r->evidence;
	int64_t ms = (int64_t)(time * 1e3);
	enum activity title;
	const char *rule;

	agent_look(r->profile, r->version, r->vt, &r->look);
	title = agent_read_title(r->profile, r->version, vt_title(r->vt),
	    &rule);
	say(&e->by[AGENT_SOURCE_TITLE], title, rule, false, ms);
	say(&e->by[AGENT_SOURCE_SCREEN], r->look.activity, r->look.rule,
	    r->look.proof, ms);
	e->question_open = question_find(r->vt, NULL) != QUESTION_NONE;
	e->why = r->look.why;
	e->by[AGENT_SOURCE_STATUS] = (struct agent_said){ 0 };
	agent_judge(e, &r->silent);
	e->by[AGENT_SOURCE_STATUS] = agent_hear_status(s, ms);
	agent_judge(e, &r->verdict);
}

static void
check_version(struct replay *r)
{
	char version[AGENT_VERSION_SIZE];

	if (agent_find_version(r->profile, r->vt, version))
		assert_string_equal(version, r->version);
}

/* The frame until now was the one before these bytes. */
static int
on_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct replay *r = arg;

	if (ev->type == CAST_HEADER) {
		r->vt = make_vt_without_history(ev->cols, ev->rows);
		return 0;
	}
	if (ev->type != CAST_OUTPUT && ev->type != CAST_RESIZE)
		return 0;
	if (r->since > 0)
		check(r, r->since, ev->time);
	if (ev->type == CAST_RESIZE)
		vt_resize(r->vt, ev->cols, ev->rows, err);
	else
		vt_feed(r->vt, ev->data, ev->len);
	if (vt_in_sync(r->vt))
		return 0;
	read_all(r, ev->time);
	check_version(r);
	r->since = ev->time;
	return 0;
}

static void
read_file(const char *name, const char *suffix, struct buf *b)
{
	char path[4096];
	auto_close int fd = -1;

	snprintf(path, sizeof(path), "%s/%s%s", dir, name, suffix);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("cannot open %s", path);
	buf_init(b, FILE_BYTES + 1);
	assert_int_equal(file_read(fd, FILE_BYTES, b), 0);
}

/* AGENT and VERSION of the name. */
static void
take_name(struct replay *r)
{
	const char *dash = strchr(r->name, '-');
	const char *end = dash != NULL ? strchr(dash + 1, '-') : NULL;
	char agent[AGENT_NAME_MAX];

	assert_non_null(end);
	snprintf(agent, sizeof(agent), "%.*s", (int)(dash - r->name), r->name);
	snprintf(r->version, sizeof(r->version), "%.*s", (int)(end - dash - 1),
	    dash + 1);
	r->profile = agent_profiles_find(r->all, agent);
	assert_non_null(r->profile);
}

static void
replay(struct replay *r)
{
	struct cast *cast = cast_create(on_event, r);
	struct error err = { 0 };
	struct buf b;

	read_file(r->name, ".cast", &b);
	if (cast_feed(cast, b.data, b.len, &err) < 0 ||
	    cast_end(cast, &err) < 0)
		fail_msg("%s: %s", r->name, err.msg);
	buf_finish(&b);
	check(r, r->since, INFINITY);
	cast_destroy(cast);
	vt_destroy(r->vt);
}

static void
no_labelled_moment_is_read_wrong(void **state)
{
	size_t frames = 0, wrong = 0, unknown = 0;
	auto_json json_t *truth = NULL;
	struct error err = { 0 };
	struct buf b;
	const char *name;
	json_t *moments;

	(void)state;
	read_file("truth", ".json", &b);
	truth = json_tree_object((const char *)b.data, b.len, &err);
	buf_finish(&b);
	if (truth == NULL)
		fail_msg("truth.json: %s", err.msg);
	json_object_foreach(truth, name, moments)
	{
		struct replay r = { .name = name, .moments = moments };

		r.all = agent_profiles_create();
		take_name(&r);
		replay(&r);
		if (r.frames < json_array_size(moments))
			fail_msg("%s: %zu of its moments were seen", name,
			    r.frames);
		frames += r.frames;
		wrong += r.wrong;
		unknown += r.unknown;
		agent_profiles_destroy(r.all);
	}
	print_message("%zu frames, %zu wrong, %zu unknown\n", frames, wrong,
	    unknown);
	assert_true(frames > 0);
	assert_int_equal(wrong, 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_labelled_moment_is_read_wrong),
	};

	if (argc != 2)
		return 2;
	dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
