#ifndef TEND_OP_PROFILE_H
#define TEND_OP_PROFILE_H

#include <stdbool.h>

#include <jansson.h>

struct error;

/* The profiles of session.prompt, made from profile.def. */
enum profile_guard { PROFILE_ANY, PROFILE_SHELL, PROFILE_LINE };
enum profile_text { PROFILE_PASTE, PROFILE_TEXT };
enum profile_confirm { PROFILE_CURSOR, PROFILE_COMMAND };

struct profile {
	const char *name;
	enum profile_guard guard;
	enum profile_text text;
	bool still; /* no change for settle_ms, not just a pause */
	int settle_ms;
	int settle_most_ms;
	const char *before; /* a key, or NULL */
	int before_ms;
	const char *submit; /* a key */
	int tries, each_ms;
	enum profile_confirm confirm;
	bool wake;
	const char *summary;
};

#define PROFILE_DEFAULT "line"

/* Find a profile by name; NULL and an error if there is none. */
const struct profile *profile_find(const char *name, struct error *err);

/*
 * The profile that the arguments of session.prompt select; NULL and an error if
 * they are invalid.
 */
const struct profile *profile_of(const json_t *args, struct error *err);

#endif
