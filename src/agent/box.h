#ifndef TEND_AGENT_BOX_H
#define TEND_AGENT_BOX_H

#include "agent/look.h"

struct agent_box_rule;
struct agent_page;

/* Find the input box: the fields box, folded and box_row of *out. */
void agent_box_find(const struct agent_box_rule *rule,
    const struct agent_page *page, struct agent_look *out);

#endif
