#ifndef TEND_AGENT_BOX_H
#define TEND_AGENT_BOX_H

#include <stdbool.h>

struct agent_box_rule;
struct agent_page;
struct agent_search;

/* The input box of an agent. */
enum agent_box {
	AGENT_BOX_NONE,  /* it is not on the screen */
	AGENT_BOX_EMPTY, /* empty, or with a placeholder */
	AGENT_BOX_DRAFT, /* with text that was not submitted */
};

/* "none", "empty", "draft". */
const char *agent_box_name(enum agent_box box);

struct agent_box_shown {
	enum agent_box box;
	bool folded;  /* the draft has a folded paste */
	unsigned row; /* the first row of its text */
};

/* Find it on a page. */
struct agent_box_shown agent_box_find(const struct agent_box_rule *rule,
    const struct agent_page *page, struct agent_search *search);

#endif
