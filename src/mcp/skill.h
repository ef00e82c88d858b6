#ifndef TEND_MCP_SKILL_H
#define TEND_MCP_SKILL_H

/*
 * Instructions for agents that use tend: skill_tools for the tools of `tend
 * mcp`, in few words, and the output of `tend skill` for commands.
 */
extern const char skill_tools[];
extern const char skill_commands[];

#endif
