/*
 * Runs the cases of one .test file, each in all four ways of feeding bytes,
 * and prints TAP.  With -n every case must fail.  The runner's own test uses
 * this, because a test that cannot fail proves nothing.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "look.h"
#include "rig.h"
#include "script.h"
#include "vt/vt.h"

#define STRING_MAX (16 << 20)
#define REPORT_MAX (64 << 20)

/* The settings of a case until SIZE and HISTORY change them. */
static const struct vt_config usual = {
	.cols = 80,
	.rows = 24,
	.history_lines = VT_HISTORY_LINES,
	.history_bytes = VT_HISTORY_BYTES,
};

static int
read_numbers(const struct step *step, unsigned *a, unsigned *b,
    struct error *err)
{
	int end = 0;

	if (sscanf(step->arg, "%u %u%n", a, b, &end) != 2 ||
	    step->arg[end] != '\0')
		return error_set(err, EINVAL, "%s wants two numbers",
		    step->verb);
	return 0;
}

/* The steps before the terminal exists; their number goes to *n. */
static int
set_up(const struct script_case *c, struct vt_config *config, size_t *n,
    struct error *err)
{
	unsigned a, b;
	int ret = 0;

	*config = usual;
	for (*n = 0; ret == 0 && *n < c->n; (*n)++) {
		const struct step *step = &c->steps[*n];

		if (strcmp(step->verb, "SIZE") == 0) {
			ret = read_numbers(step, &a, &b, err);
			config->cols = (uint16_t)a;
			config->rows = (uint16_t)b;
		} else if (strcmp(step->verb, "HISTORY") == 0) {
			ret = read_numbers(step, &a, &b, err);
			config->history_lines = a;
			config->history_bytes = b;
		} else {
			break;
		}
	}
	return ret;
}

static int
do_push(struct rig *rig, const struct step *step, struct error *err)
{
	const char *p = step->arg;
	struct buf bytes;
	int ret;

	buf_init(&bytes, STRING_MAX);
	ret = script_string(&p, &bytes);
	if (ret < 0 || *p != '\0')
		ret = error_set(err, EINVAL, "PUSH wants a string");
	else
		ret = rig_push(rig, bytes.data, bytes.len, err);
	buf_finish(&bytes);
	return ret;
}

static int
do_resize(struct rig *rig, const struct step *step, struct error *err)
{
	unsigned cols, rows;
	int ret = read_numbers(step, &cols, &rows, err);

	return ret < 0 ? ret : rig_resize(rig, cols, rows, err);
}

/* COLOURS #rrggbb #rrggbb: the terminal's own, text and background. */
static int
do_colours(struct rig *rig, const struct step *step, struct error *err)
{
	unsigned fg, bg;

	if (sscanf(step->arg, "#%6x #%6x", &fg, &bg) != 2)
		return error_set(err, EINVAL, "COLOURS wants two colours");
	vt_set_default_colours(rig->vt, fg, bg);
	return 0;
}

static int
do_end_sync(struct rig *rig, const struct step *step, struct error *err)
{
	(void)step;
	(void)err;
	vt_end_sync(rig->vt);
	return 0;
}

static int
do_checksums(struct rig *rig, const struct step *step, struct error *err)
{
	(void)step;
	(void)err;
	rig->checksums = true;
	vt_answer_all(rig->vt, true);
	return 0;
}

static int
do_look(struct rig *rig, const struct step *step, struct error *err)
{
	auto_free char *got = NULL;
	struct buf out;
	int ret;

	if (step->want == NULL)
		return error_set(err, EINVAL, "nothing is expected here");
	if (!look_applies(rig, step->verb + 1))
		return 0;
	buf_init(&out, STRING_MAX);
	ret = look(rig, step->verb + 1, step->arg, &out, err);
	got = buf_take(&out);
	if (ret < 0)
		return ret;
	if (strcmp(got, step->want) == 0)
		return 0;
	printf("# expected %s\n#      got %s\n", step->want, got);
	return error_set(err, EILSEQ, "%s%s%s", step->verb,
	    step->arg[0] != '\0' ? " " : "", step->arg);
}

static int
do_step(struct rig *rig, const struct step *step, struct error *err)
{
	static const struct {
		const char *verb;
		int (*fn)(struct rig *rig, const struct step *step,
		    struct error *err);
	} verbs[] = {
		{ "PUSH", do_push },
		{ "RESIZE", do_resize },
		{ "COLOURS", do_colours },
		{ "END-SYNC", do_end_sync },
		{ "CHECKSUMS", do_checksums },
	};

	if (step->verb[0] == '?')
		return do_look(rig, step, err);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].verb, step->verb) == 0)
			return verbs[i].fn(rig, step, err);
	}
	return error_set(err, EINVAL, "%s is not understood", step->verb);
}

static void
print_failure(struct rig *rig, const char *path, unsigned line,
    const struct error *err)
{
	struct buf report;
	auto_free char *text = NULL;

	printf("# %s:%u: %s (%s)\n", path, line, err->msg, way_name(rig->way));
	buf_init(&report, REPORT_MAX);
	look_screen(rig, "# ", &report);
	text = buf_take(&report);
	fputs(text, stdout);
}

/* The terminal sends only when asked, so every reply must be checked. */
static int
check_silence(struct rig *rig, struct error *err)
{
	struct buf out;
	auto_free char *text = NULL;

	if (rig->replies.len == 0)
		return 0;
	buf_init(&out, STRING_MAX);
	script_quote(&out, rig->replies.data, rig->replies.len);
	text = buf_take(&out);
	return error_set(err, EILSEQ, "a reply nobody looked at: %s", text);
}

static bool
run_steps(struct rig *rig, const struct script_case *c, size_t first,
    const char *path)
{
	struct error err = { 0 };
	unsigned line = c->line;
	int ret = 0;

	for (size_t i = first; ret == 0 && i < c->n; i++) {
		line = c->steps[i].line;
		ret = do_step(rig, &c->steps[i], &err);
	}
	if (ret == 0)
		ret = check_silence(rig, &err);
	if (ret < 0)
		print_failure(rig, path, line, &err);
	return ret == 0;
}

static bool
run_way(const struct script_case *c, enum way way, const char *path)
{
	struct error err = { 0 };
	struct vt_config config;
	struct rig rig;
	size_t first;
	bool ok;

	if (set_up(c, &config, &first, &err) < 0 ||
	    rig_init(&rig, &config, way, c->line, &err) < 0) {
		printf("# %s:%u: %s\n", path, c->line, err.msg);
		return false;
	}
	ok = run_steps(&rig, c, first, path);
	rig_finish(&rig);
	return ok;
}

static bool
asks_something(const struct script_case *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->steps[i].verb[0] == '?')
			return true;
	}
	return false;
}

static bool
run_case(const struct script_case *c, const char *path)
{
	if (!asks_something(c)) {
		printf("# %s:%u: the case asks nothing\n", path, c->line);
		return false;
	}
	for (int way = 0; way < WAY_COUNT; way++) {
		if (!run_way(c, (enum way)way, path))
			return false;
	}
	return true;
}

/* The number of cases that did not end as they should. */
static unsigned
run_all(const struct script *script, const char *path, bool must_fail)
{
	unsigned wrong = 0;

	printf("1..%zu\n", script->n);
	for (size_t i = 0; i < script->n; i++) {
		bool ok = run_case(&script->cases[i], path) != must_fail;

		printf("%s %zu - %s\n", ok ? "ok" : "not ok", i + 1,
		    script->cases[i].heading);
		if (!ok)
			wrong++;
	}
	return wrong;
}

int
main(int argc, char **argv)
{
	bool must_fail = argc == 3 && strcmp(argv[1], "-n") == 0;
	struct error err = { 0 };
	struct script script;
	unsigned wrong = 1;

	if (argc != 2 && !must_fail) {
		fprintf(stderr, "usage: runner [-n] FILE.test\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (script_load(&script, argv[argc - 1], &err) < 0)
		printf("Bail out! %s\n", err.msg);
	else
		wrong = run_all(&script, argv[argc - 1], must_fail);
	script_finish(&script);
	return wrong > 0;
}
