#ifndef TEND_MCP_SPEECH_H
#define TEND_MCP_SPEECH_H

struct buf;

/*
 * Errors of hosts and of the home library, in the words of tools: an operation
 * is the tool of that name (session.wait, session_wait), a command is the tool
 * that does the same (tend ls, session_list).  Other words stay as they are:
 * they may be the caller's own.
 */
void speech_put(const char *text, struct buf *out);

#endif
