#ifndef TEND_MCP_SKILL_H
#define TEND_MCP_SKILL_H

/*
 * What an agent has to know to use tend: through the tools of `tend mcp`, in
 * few words; and by commands, which is what `tend skill` prints.
 */
extern const char skill_tools[];
extern const char skill_commands[];

#endif
