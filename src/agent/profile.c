#include "agent/profile.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/page.h"
#include "agent/profile_state.h"
#include "base/error.h"
#include "base/ini.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/utf8.h"
#include "op/pattern.h"

#define RULE_ROWS 24 /* unless the rule has `rows` */
#define BOX_ROWS 40

/* --------------------------------------------------------------- patterns */

static bool
compile(struct agent_pattern *p, struct error *err)
{
	if (!p->tried)
		p->compiled = pattern_create(p->text, strlen(p->text), err);
	p->tried = true;
	return p->compiled != NULL;
}

bool
agent_pattern_find(struct agent_pattern *p, struct agent_search *s,
    const char *text, size_t len, size_t *from, size_t *to)
{
	int rc;

	if (s->gave_up)
		return false;
	rc = compile(p, NULL) ?
	    pattern_next(p->compiled, text, len, &s->steps, from, to) :
	    -EINVAL;
	s->gave_up = rc < 0;
	return rc == 1;
}

bool
agent_patterns_any(const struct agent_patterns *all, struct agent_search *s,
    const char *text, size_t len)
{
	for (size_t i = 0; i < all->n; i++) {
		size_t from = 0, to;

		if (agent_pattern_find(&all->of[i], s, text, len, &from, &to))
			return true;
	}
	return false;
}

static void
drop_patterns(struct agent_patterns *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->of[i].text);
		pattern_destroy(all->of[i].compiled);
	}
	free(all->of);
}

static int
check_patterns(const struct agent_patterns *all, struct error *err)
{
	struct error why;

	for (size_t i = 0; i < all->n; i++)
		if (!compile(&all->of[i], &why))
			return error_set(err, EINVAL,
			    "line %u: the pattern is invalid: %s",
			    all->of[i].line, why.msg);
	return 0;
}

/* ------------------------------------------------------------------ names */

static bool
is_name(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_");

	return *s != '\0' && strchr(letters, *s) != NULL && s[len] == '\0' &&
	    len <= AGENT_NAME_MAX;
}

static void
drop_names(struct agent_names *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->of[i]);
}

/* ---------------------------------------------------------------- parsing */

enum section { SECTION_AGENT, SECTION_BOX, SECTION_TITLE, SECTION_SCREEN };

#define SECTIONS(s) (1u << (s))
#define RULES (SECTIONS(SECTION_TITLE) | SECTIONS(SECTION_SCREEN))

struct parsing {
	struct agent_profile *profile;
	struct error *err;
	bool failed;
	unsigned line;
	enum section section;
	struct agent_rule *rule; /* of this section */
	size_t last;             /* the name of the last section */
	char section_name[INI_LINE_MAX + 1];
};

/* Only the first error is reported. */
static void __attribute__((format(printf, 2, 3)))
fail(struct parsing *g, const char *fmt, ...)
{
	char why[200];
	va_list ap;

	if (g->failed)
		return;
	g->failed = true;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	error_set(g->err, EINVAL, "line %u: %s", g->line, why);
}

static void
take_name(struct parsing *g, struct agent_names *all, const char *value)
{
	if (all->n == AGENT_NAMES_MAX)
		fail(g, "more than %d values of this key", AGENT_NAMES_MAX);
	else if (*value == '\0')
		fail(g, "the value is empty");
	else
		all->of[all->n++] = xstrdup(value);
}

static void
take_pattern(struct parsing *g, struct agent_patterns *all, size_t most,
    const char *value)
{
	if (all->n == most) {
		fail(g, "more than %zu pattern%s of this key", most,
		    most == 1 ? "" : "s");
		return;
	}
	if (*value == '\0') {
		fail(g, "the pattern is empty");
		return;
	}
	all->of = xrealloc(all->of, all->n + 1, sizeof(*all->of));
	all->of[all->n++] = (struct agent_pattern){
		.line = g->line,
		.text = xstrdup(value),
	};
}

static void
take_bool(struct parsing *g, bool *out, const char *value)
{
	*out = strcmp(value, "yes") == 0;
	if (!*out && strcmp(value, "no") != 0)
		fail(g, "give yes or no");
}

static void
take_rows(struct parsing *g, unsigned *out, const char *value)
{
	uint64_t n;

	if (number_take(&value, AGENT_PAGE_ROWS, &n) && *value == '\0' && n > 0)
		*out = (unsigned)n;
	else
		fail(g, "give a number of rows from 1 to %d", AGENT_PAGE_ROWS);
}

static void
take_versions(struct parsing *g, struct agent_versions *out, const char *value)
{
	struct error why;

	if (agent_versions_add(out, value, &why) < 0)
		fail(g, "%s", why.msg);
}

static void
take_title(struct parsing *g, const char *value)
{
	free(g->profile->title);
	g->profile->title = xstrdup(value);
	if (*value == '\0')
		fail(g, "the value is empty");
}

static void
take_program(struct parsing *g, const char *value)
{
	take_name(g, &g->profile->program, value);
}

static void
take_package(struct parsing *g, const char *value)
{
	take_name(g, &g->profile->package, value);
}

static void
take_path(struct parsing *g, const char *value)
{
	take_name(g, &g->profile->path, value);
}

static void
take_app(struct parsing *g, const char *value)
{
	take_name(g, &g->profile->app, value);
}

static void
take_except(struct parsing *g, const char *value)
{
	take_name(g, &g->profile->except, value);
}

static void
take_version(struct parsing *g, const char *value)
{
	take_pattern(g, &g->profile->version, AGENT_PATTERNS_MAX, value);
}

static void
take_seen(struct parsing *g, const char *value)
{
	take_versions(g, &g->profile->seen, value);
}

static void
take_box_rows(struct parsing *g, const char *value)
{
	take_rows(g, &g->profile->box.rows, value);
}

static void
take_begin(struct parsing *g, const char *value)
{
	take_pattern(g, &g->profile->box.begin, 1, value);
}

static void
take_end(struct parsing *g, const char *value)
{
	take_pattern(g, &g->profile->box.end, 1, value);
}

static void
take_margin(struct parsing *g, const char *value)
{
	take_pattern(g, &g->profile->box.margin, 1, value);
}

static void
take_placeholder(struct parsing *g, const char *value)
{
	take_pattern(g, &g->profile->box.placeholder, AGENT_PATTERNS_MAX,
	    value);
}

static void
take_faint(struct parsing *g, const char *value)
{
	take_bool(g, &g->profile->box.faint, value);
}

static void
take_fold(struct parsing *g, const char *value)
{
	take_pattern(g, &g->profile->box.fold, AGENT_PATTERNS_MAX, value);
}

static void
take_activity(struct parsing *g, const char *value)
{
	g->rule->has_activity = true;
	if (activity_parse(value, &g->rule->activity) < 0)
		fail(g, "there is no activity %.40s", value);
}

static void
take_rule_seen(struct parsing *g, const char *value)
{
	if (g->rule->seen == NULL)
		g->rule->seen = xcalloc(1, sizeof(*g->rule->seen));
	take_versions(g, g->rule->seen, value);
}

static void
take_match(struct parsing *g, const char *value)
{
	take_pattern(g, &g->rule->match, AGENT_PATTERNS_MAX - g->rule->unless.n,
	    value);
}

static void
take_unless(struct parsing *g, const char *value)
{
	take_pattern(g, &g->rule->unless, AGENT_PATTERNS_MAX - g->rule->match.n,
	    value);
}

static void
take_rule_rows(struct parsing *g, const char *value)
{
	take_rows(g, &g->rule->rows, value);
}

static void
take_rule_box(struct parsing *g, const char *value)
{
	static const char *const names[AGENT_NEEDS_BOX] = { "any", "none",
		"shown", "empty", "draft" };

	for (int i = 0; i < AGENT_NEEDS_BOX; i++)
		if (strcmp(value, names[i]) == 0) {
			g->rule->box = (enum agent_needs_box)i;
			return;
		}
	fail(g, "give any, none, shown, empty or draft");
}

static void
take_proof(struct parsing *g, const char *value)
{
	take_bool(g, &g->rule->proof, value);
}

static const struct {
	unsigned sections;
	const char *key;
	void (*take)(struct parsing *g, const char *value);
} keys[] = {
	{ SECTIONS(SECTION_AGENT), "title", take_title },
	{ SECTIONS(SECTION_AGENT), "program", take_program },
	{ SECTIONS(SECTION_AGENT), "package", take_package },
	{ SECTIONS(SECTION_AGENT), "path", take_path },
	{ SECTIONS(SECTION_AGENT), "app", take_app },
	{ SECTIONS(SECTION_AGENT), "except", take_except },
	{ SECTIONS(SECTION_AGENT), "version", take_version },
	{ SECTIONS(SECTION_AGENT), "seen", take_seen },
	{ SECTIONS(SECTION_BOX), "rows", take_box_rows },
	{ SECTIONS(SECTION_BOX), "begin", take_begin },
	{ SECTIONS(SECTION_BOX), "end", take_end },
	{ SECTIONS(SECTION_BOX), "margin", take_margin },
	{ SECTIONS(SECTION_BOX), "placeholder", take_placeholder },
	{ SECTIONS(SECTION_BOX), "faint", take_faint },
	{ SECTIONS(SECTION_BOX), "fold", take_fold },
	{ RULES, "activity", take_activity },
	{ RULES, "seen", take_rule_seen },
	{ RULES, "match", take_match },
	{ RULES, "unless", take_unless },
	{ SECTIONS(SECTION_SCREEN), "rows", take_rule_rows },
	{ SECTIONS(SECTION_SCREEN), "box", take_rule_box },
	{ SECTIONS(SECTION_SCREEN), "proof", take_proof },
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static bool
has_rule(const struct agent_profile *p, bool of_title, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->rules[i].of_title == of_title &&
		    strcmp(p->rules[i].name, name) == 0)
			return true;
	return false;
}

static void
begin_rule(struct parsing *g, enum section section, const char *name)
{
	struct agent_profile *p = g->profile;
	bool of_title = section == SECTION_TITLE;

	name += strspn(name, " \t");
	g->section = section;
	if (!is_name(name)) {
		fail(g, "name the rule: [%s NAME], with a-z, 0-9, - and _",
		    of_title ? "title" : "screen");
	} else if (has_rule(p, of_title, name)) {
		fail(g, "there are two rules %s", name);
	} else if (p->n == AGENT_RULES_MAX) {
		fail(g, "more than %d rules", AGENT_RULES_MAX);
	} else {
		p->rules = xrealloc(p->rules, p->n + 1, sizeof(*p->rules));
		g->rule = &p->rules[p->n++];
		*g->rule = (struct agent_rule){
			.of_title = of_title,
			.line = g->line,
			.rows = RULE_ROWS,
		};
		snprintf(g->rule->name, sizeof(g->rule->name), "%s", name);
	}
}

/* "[screen trust]" begins with this word. */
static const char *
after_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(s, word, len) != 0 || strchr(" \t", s[len]) == NULL)
		return NULL;
	return s + len;
}

static void
begin_section(struct parsing *g, const char *section)
{
	const char *name;

	snprintf(g->section_name, sizeof(g->section_name), "%s", section);
	g->rule = NULL;
	if (strcmp(section, "agent") == 0)
		g->section = SECTION_AGENT;
	else if (strcmp(section, "box") == 0)
		g->section = SECTION_BOX;
	else if ((name = after_word(section, "title")) != NULL)
		begin_rule(g, SECTION_TITLE, name);
	else if ((name = after_word(section, "screen")) != NULL)
		begin_rule(g, SECTION_SCREEN, name);
	else
		fail(g,
		    "there is no section [%.40s]; give [agent], [box], "
		    "[title NAME] or [screen NAME]",
		    section);
}

static void
on_value(void *arg, unsigned line, const char *section, const char *key,
    const char *value)
{
	struct parsing *g = arg;

	if (g->failed)
		return;
	g->line = line;
	if (strcmp(section, g->section_name) != 0 || g->section_name[0] == '\0')
		begin_section(g, section);
	if (g->failed)
		return;
	for (size_t i = 0; i < COUNT(keys); i++)
		if ((keys[i].sections & SECTIONS(g->section)) &&
		    strcmp(keys[i].key, key) == 0) {
			keys[i].take(g, value);
			return;
		}
	fail(g, "there is no key %.40s in [%.40s]", key, section);
}

static void
on_complaint(void *arg, unsigned line, const char *why)
{
	struct parsing *g = arg;

	if (!g->failed)
		g->line = line;
	fail(g, "%s", why);
}

/* A rule that has no activity is named after it. */
static void
finish_rule(struct parsing *g, struct agent_rule *rule)
{
	g->line = rule->line;
	if (!rule->has_activity &&
	    activity_parse(rule->name, &rule->activity) < 0)
		fail(g, "the rule %s has no activity", rule->name);
	if (rule->match.n == 0 && rule->box == AGENT_ANY_BOX)
		fail(g, "the rule %s has no match", rule->name);
	if (rule->box > AGENT_NO_BOX && g->profile->box.begin.n == 0)
		fail(g, "the rule %s needs a box, and [box] has no begin",
		    rule->name);
}

static void
finish_parsing(struct parsing *g)
{
	struct agent_profile *p = g->profile;

	for (size_t i = 0; i < p->n && !g->failed; i++)
		finish_rule(g, &p->rules[i]);
	if (p->title == NULL)
		p->title = xstrdup(p->name);
}

static int
check_text(const char *name, const char *text, size_t len, struct error *err)
{
	if (!is_name(name))
		return error_set(err, EINVAL,
		    "%.40s is not a name for a profile: give 1 to %d of a-z, "
		    "0-9, - and _, first a letter",
		    name, AGENT_NAME_MAX);
	if (len > AGENT_FILE_MAX)
		return error_set(err, EFBIG, "it has more than %u bytes",
		    AGENT_FILE_MAX);
	if (!utf8_valid(text, len))
		return error_set(err, EINVAL, "it is not UTF-8");
	return 0;
}

static struct agent_profile *
create(const char *name)
{
	struct agent_profile *p = xcalloc(1, sizeof(*p));

	snprintf(p->name, sizeof(p->name), "%s", name);
	p->box.rows = BOX_ROWS;
	return p;
}

/* Parse sections into the profile; `last` ends its text. */
static bool
parse(struct agent_profile *p, const char *text, size_t len, bool last,
    struct error *err)
{
	static const struct ini_ops ops = { on_value, on_complaint };
	struct parsing g = { .profile = p, .err = err };

	ini_parse(text, len, &ops, &g);
	if (!g.failed && last)
		finish_parsing(&g);
	return !g.failed;
}

struct agent_profile *
agent_profile_parse(const char *name, const char *text, size_t len,
    struct error *err)
{
	struct agent_profile *p;

	if (check_text(name, text, len, err) < 0)
		return NULL;
	p = create(name);
	p->text = p->copy = xmalloc(len + 1);
	memcpy(p->copy, text, len);
	p->copy[len] = '\0';
	if (!parse(p, text, len, true, err)) {
		agent_profile_destroy(p);
		return NULL;
	}
	return p;
}

/* A test parses all built-in profiles. */
struct agent_profile *
agent_profile_brief(const char *name, const char *text)
{
	struct agent_profile *p = create(name);
	const char *first = strstr(text, "[agent]"), *next;
	bool sound;

	assert(first != NULL);
	next = strstr(first, "\n[");
	p->text = text;
	p->rest = next != NULL ? next : text + strlen(text);
	sound = parse(p, text, (size_t)(p->rest - text), false, NULL);
	assert(sound);
	return p;
}

void
agent_profile_complete(struct agent_profile *p)
{
	const char *rest = p->rest;
	bool sound;

	if (rest == NULL)
		return;
	p->rest = NULL;
	sound = parse(p, rest, strlen(rest), true, NULL);
	assert(sound);
}

static void
drop_box(struct agent_box_rule *box)
{
	drop_patterns(&box->begin);
	drop_patterns(&box->end);
	drop_patterns(&box->margin);
	drop_patterns(&box->placeholder);
	drop_patterns(&box->fold);
}

void
agent_profile_destroy(struct agent_profile *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n; i++) {
		drop_patterns(&p->rules[i].match);
		drop_patterns(&p->rules[i].unless);
		free(p->rules[i].seen);
	}
	free(p->rules);
	drop_box(&p->box);
	drop_patterns(&p->version);
	drop_names(&p->program);
	drop_names(&p->package);
	drop_names(&p->path);
	drop_names(&p->app);
	drop_names(&p->except);
	free(p->title);
	free(p->copy);
	free(p);
}

static int
check_box(const struct agent_box_rule *box, struct error *err)
{
	const struct agent_patterns *const all[] = { &box->begin, &box->end,
		&box->margin, &box->placeholder, &box->fold };

	for (size_t i = 0; i < COUNT(all); i++)
		if (check_patterns(all[i], err) < 0)
			return -EINVAL;
	return 0;
}

int
agent_profile_check(const struct agent_profile *p, struct error *err)
{
	if (check_patterns(&p->version, err) < 0 || check_box(&p->box, err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < p->n; i++)
		if (check_patterns(&p->rules[i].match, err) < 0 ||
		    check_patterns(&p->rules[i].unless, err) < 0)
			return -EINVAL;
	return 0;
}

bool
agent_profile_counts(const struct agent_profile *p, const char *version)
{
	return p->seen.n == 0 || agent_versions_have(&p->seen, version);
}

bool
agent_rule_counts(const struct agent_profile *p, const struct agent_rule *rule,
    const char *version)
{
	if (rule->seen != NULL)
		return agent_versions_have(rule->seen, version);
	return agent_profile_counts(p, version);
}

const char *
agent_profile_name(const struct agent_profile *p)
{
	return p->name;
}

const char *
agent_profile_title(const struct agent_profile *p)
{
	return p->title;
}

const char *
agent_profile_text(const struct agent_profile *p)
{
	return p->text;
}

bool
agent_profile_is_own(const struct agent_profile *p)
{
	return p->own;
}

void
agent_profile_seen(const struct agent_profile *p, char *out, size_t size)
{
	agent_versions_list(&p->seen, out, size);
}
