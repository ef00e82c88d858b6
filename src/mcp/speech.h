#ifndef TEND_MCP_SPEECH_H
#define TEND_MCP_SPEECH_H

struct buf;
struct tool;

/*
 * What hosts and commands say, in the words of who calls tools: an operation is
 * the tool of that name (session.wait, session_wait), a command is the tool that
 * does the same (tend ls, session_list), an option is the argument it stands for
 * (--keep-going, 'keep_going').  What stands for none is left as it is: it may be
 * the caller's own word.
 */
void speech_put(const struct tool *t, const char *text, struct buf *out);

#endif
