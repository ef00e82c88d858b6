#ifndef TEND_CMD_AGENT_EXPLAIN_H
#define TEND_CMD_AGENT_EXPLAIN_H

struct call;

/* `tend agent explain SESSION`: every source of evidence and what it says. */
int explain(struct call *call);

#endif
