#ifndef TEND_TESTS_VT_SCRIPT_H
#define TEND_TESTS_VT_SCRIPT_H

#include <stddef.h>

struct buf;
struct error;

/*
 * A .test file as data: cases, and the steps of each in order.  README.md
 * beside this file describes the language.
 */
struct step {
	unsigned line;
	char *verb; /* "PUSH", "?cell", … */
	char *arg;  /* between the verb and " = ", "" when there is nothing */
	char *want; /* after " = ", in the canonical spelling; else NULL */
};

struct script_case {
	unsigned line;
	char *heading; /* without its '!' */
	struct step *steps;
	size_t n;
};

struct script {
	struct script_case *cases;
	size_t n;
};

/* -errno and a message with file and line if the file is not a script. */
int script_load(struct script *s, const char *path, struct error *err);
void script_finish(struct script *s);

/*
 * A string expression: pieces "…" or "…"*N joined by +.  Its bytes go to out
 * and *p moves past it. -EINVAL if there is none at *p.
 */
int script_string(const char **p, struct buf *out);

/* Bytes as a quoted string in the one canonical spelling. */
void script_quote(struct buf *out, const void *p, size_t len);

#endif
