#include "agent/look.h"

#include <stdio.h>
#include <string.h>

#include "agent/box.h"
#include "agent/page.h"
#include "agent/profile_state.h"
#include "base/buf.h"
#include "vt/text.h"
#include "vt/vt.h"

static bool
box_fits(enum agent_needs_box needs, enum agent_box box)
{
	switch (needs) {
	case AGENT_NO_BOX:
		return box == AGENT_BOX_NONE;
	case AGENT_SOME_BOX:
		return box != AGENT_BOX_NONE;
	case AGENT_EMPTY_BOX:
		return box == AGENT_BOX_EMPTY;
	case AGENT_DRAFT_BOX:
		return box == AGENT_BOX_DRAFT;
	case AGENT_ANY_BOX:
	case AGENT_NEEDS_BOX:
		break;
	}
	return true;
}

/* All of match, none of unless; *at is where the first match begins. */
static bool
text_fits(const struct agent_rule *rule, struct agent_search *s,
    const char *text, size_t len, size_t *at)
{
	*at = len;
	for (size_t i = 0; i < rule->match.n; i++) {
		size_t from = 0, to;

		if (!agent_pattern_find(&rule->match.of[i], s, text, len, &from,
			&to))
			return false;
		if (i == 0)
			*at = from;
	}
	return !agent_patterns_any(&rule->unless, s, text, len) && !s->gave_up;
}

static bool
rule_holds(const struct agent_rule *rule, struct agent_search *s,
    const struct agent_page *page, struct agent_look *out)
{
	size_t tail = agent_page_tail(page, rule->rows), at;

	if (!box_fits(rule->box, out->box) ||
	    !text_fits(rule, s, (const char *)page->text.data + tail,
		page->text.len - tail, &at))
		return false;
	out->activity = rule->activity;
	out->rule = rule->name;
	out->proof = rule->proof;
	out->row = page->first + agent_page_row(page, tail + at);
	return true;
}

/* The reason why no rule holds. */
static void
explain(const struct agent_profile *p, const char *version,
    struct agent_look *out)
{
	char seen[96];

	if (agent_profile_counts(p, version)) {
		snprintf(out->why, sizeof(out->why),
		    "no rule of %s fits the screen", p->name);
		return;
	}
	out->unseen = true;
	agent_versions_list(&p->seen, seen, sizeof(seen));
	if (version == NULL || *version == '\0')
		snprintf(out->why, sizeof(out->why),
		    "the version of %s is not known; tend knows %s", p->name,
		    seen);
	else
		snprintf(out->why, sizeof(out->why),
		    "%s %.*s has not been seen; tend knows %s", p->name,
		    AGENT_VERSION_SIZE, version, seen);
}

static void
look_at(const struct agent_profile *p, const char *version,
    const struct agent_page *page, struct agent_look *out)
{
	struct agent_box_shown shown = { .box = AGENT_BOX_NONE };
	struct agent_search search = { 0 };

	if (agent_profile_counts(p, version))
		shown = agent_box_find(&p->box, page, &search);
	*out = (struct agent_look){
		.box = shown.box,
		.folded = shown.folded,
		.box_row = shown.row,
	};
	for (size_t i = 0; i < p->n && page->text.len > 0; i++) {
		const struct agent_rule *rule = &p->rules[i];

		if (!rule->of_title && agent_rule_counts(p, rule, version) &&
		    rule_holds(rule, &search, page, out))
			return;
	}
	if (!search.gave_up) {
		explain(p, version, out);
		return;
	}
	*out = (struct agent_look){ .box = AGENT_BOX_NONE };
	snprintf(out->why, sizeof(out->why),
	    "the rules of %s take too long on this screen", p->name);
}

void
agent_look(const struct agent_profile *p, const char *version,
    const struct vt *vt, struct agent_look *out)
{
	struct agent_page page;

	agent_page_init(&page, vt);
	look_at(p, version, &page, out);
	agent_page_finish(&page);
}

static bool
find_version(const struct agent_profile *p, struct agent_search *search,
    const char *text, size_t len, char out[AGENT_VERSION_SIZE])
{
	for (size_t i = 0; i < p->version.n && len > 0; i++) {
		size_t from = 0, to;

		if (!agent_pattern_find(&p->version.of[i], search, text, len,
			&from, &to) ||
		    to == from || to - from >= AGENT_VERSION_SIZE)
			continue;
		memcpy(out, text + from, to - from);
		out[to - from] = '\0';
		return true;
	}
	return false;
}

bool
agent_find_version(const struct agent_profile *p, const struct vt *vt,
    char out[AGENT_VERSION_SIZE])
{
	struct agent_search search = { 0 };
	struct agent_page page;
	bool found;

	agent_page_init(&page, vt);
	found = find_version(p, &search, (const char *)page.text.data,
	    page.text.len, out);
	agent_page_finish(&page);
	return found;
}

bool
agent_find_past_version(const struct agent_profile *p, const struct vt *vt,
    uint64_t lines, char out[AGENT_VERSION_SIZE])
{
	struct vt_history_iter *it;
	uint64_t all = vt_history_lines(vt), n = 0;
	bool found = false;
	struct vt_row row;
	struct buf text;

	if (p->version.n == 0)
		return false;
	if (lines > AGENT_HISTORY_LINES)
		lines = AGENT_HISTORY_LINES;
	buf_init(&text, AGENT_PAGE_BYTES);
	it = vt_history_begin(vt);
	while (!found && vt_history_next(it, &row)) {
		struct agent_search search = { 0 };

		if (n++ + lines < all)
			continue;
		buf_clear(&text);
		vt_row_text(&row, &text);
		found = find_version(p, &search, (const char *)text.data,
		    text.len, out);
	}
	buf_finish(&text);
	vt_history_end(it);
	return found;
}

enum activity
agent_read_title(const struct agent_profile *p, const char *version,
    const char *title, const char **name)
{
	struct agent_search search = { 0 };
	size_t at;

	for (size_t i = 0; i < p->n; i++) {
		const struct agent_rule *rule = &p->rules[i];

		if (rule->of_title && agent_rule_counts(p, rule, version) &&
		    text_fits(rule, &search, title, strlen(title), &at)) {
			*name = rule->name;
			return rule->activity;
		}
	}
	*name = NULL;
	return ACTIVITY_UNKNOWN;
}
