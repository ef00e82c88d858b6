#ifndef TEND_AGENT_COMMAND_H
#define TEND_AGENT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The program behind a command line.  It looks through AGENT_WRAPPERS_MAX
 * wrappers at most, and reads AGENT_WORDS_MAX words; a longer command line, and
 * the text of a shell (sh -c TEXT) of more than AGENT_SHELL_MAX bytes or with
 * more than one command, give none.
 */
#define AGENT_WORDS_MAX 64
#define AGENT_WRAPPERS_MAX 8
#define AGENT_SHELL_MAX 4096

enum agent_command_kind {
	AGENT_PROGRAM, /* the name or path of a program */
	AGENT_SCRIPT,  /* the path of a script, for an interpreter */
	AGENT_PACKAGE, /* a package, or a program in one, for npx and others */
};

struct agent_command {
	enum agent_command_kind kind;
	const char *word;
	const char *argument; /* the first after it; NULL: none */
	/* Memory of the words, if they are not the caller's. */
	char shell[AGENT_SHELL_MAX];
	const char *words[AGENT_WORDS_MAX];
	size_t n;
};

/*
 * The words each end with a NUL.  False if there is no program.  The strings in
 * *out are borrowed from `words` and from *out.
 */
bool agent_command_read(const char *words, size_t len,
    struct agent_command *out);

/* The name of a file in a path. */
const char *agent_command_base(const char *path);

#endif
