#ifndef TEND_MCP_SPEECH_H
#define TEND_MCP_SPEECH_H

struct buf;

/*
 * Translate errors of hosts and of the home library to tools: an operation
 * becomes the tool of that name (session.wait, session_wait), a command the
 * tool that does the same (tend ls, session_list).  Other words are kept, since
 * they may be the caller's own.
 */
void speech_put(const char *text, struct buf *out);

#endif
