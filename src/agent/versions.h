#ifndef TEND_AGENT_VERSIONS_H
#define TEND_AGENT_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

struct error;

#define AGENT_VERSION_SIZE 32 /* a version and its NUL */
#define AGENT_RANGES_MAX 16

/*
 * The versions of a program for which a fact was seen: single ones, ranges
 * from one to another, or any.  A version is numbers with dots; one with
 * letters, such as 1.0-beta, is in no range.
 */
struct agent_versions {
	struct agent_range {
		char from[AGENT_VERSION_SIZE], to[AGENT_VERSION_SIZE];
	} of[AGENT_RANGES_MAX];
	size_t n;
	bool any; /* also one that is not known */
};

/* Add "2.1.197-2.1.325, 2.2.0" or "any".  0, or -EINVAL and *err. */
int agent_versions_add(struct agent_versions *v, const char *text,
    struct error *err);

/* version: NULL or "" if it is not known. */
bool agent_versions_have(const struct agent_versions *v, const char *version);

/* Write "2.1.197 to 2.1.325 and 2.2.0"; cut if it is too long. */
void agent_versions_list(const struct agent_versions *v, char *out,
    size_t size);

#endif
