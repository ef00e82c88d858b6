#ifndef TEND_CMD_MCP_MCP_WORDS_H
#define TEND_CMD_MCP_MCP_WORDS_H

struct error;
struct mcp_call;

/*
 * A tool's call as the command line that carries it out: an operation's
 * arguments are its command's options, by rule; those that are not have a
 * function here.
 */
#define MCP_WORDS_INPUT "steps" /* no word: it is read as standard input */

/* Whether words can be made of them; -EINVAL and why not. */
int mcp_words_check(const struct mcp_call *call, struct error *err);

/* The words, ended by NULL; the caller's. */
char **mcp_words(const struct mcp_call *call, const char *home);
void mcp_words_free(char **words);

#endif
