#include "op/profile.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"

#define STILL(ms, most_ms) true, ms, most_ms
#define PAUSE(ms) false, ms, ms
#define KEY(key, ms) key, ms
#define NO_KEY NULL, 0
#define SUBMIT(key, tries, each_ms) key, tries, each_ms
#define WAKE true
#define NO_WAKE false

static const struct profile profiles[] = {
#define PROFILE(name, guard, text, settle, before, submit, confirm, wake, \
    summary) \
	{ name, PROFILE_##guard, PROFILE_##text, settle, before, submit, \
		PROFILE_##confirm, wake, summary },
#include "op/profile.def"
};

#define PROFILES (sizeof(profiles) / sizeof(*profiles))

/* "a, b or c". */
static void
put_names(struct buf *out)
{
	for (size_t i = 0; i < PROFILES; i++) {
		if (i > 0)
			buf_puts(out, i + 1 < PROFILES ? ", " : " or ");
		buf_puts(out, profiles[i].name);
	}
}

const struct profile *
profile_find(const char *name, struct error *err)
{
	struct buf names;

	for (size_t i = 0; i < PROFILES; i++) {
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	}
	buf_init(&names, 128);
	put_names(&names);
	error_set(err, EINVAL,
	    "session.prompt: 'profile' must be %.*s, not '%.20s'",
	    (int)names.len, (const char *)names.data, name);
	buf_finish(&names);
	return NULL;
}

const struct profile *
profile_of(const json_t *args, struct error *err)
{
	const char *text = json_string_value(json_object_get(args, "text"));
	const char *name = json_string_value(json_object_get(args, "profile"));

	/* The newline at the end of a message is not a part of it. */
	if (text != NULL && strcmp(text, "\n") == 0) {
		error_set(err, EINVAL,
		    "session.prompt: 'text' must not be empty");
		return NULL;
	}
	return profile_find(name != NULL ? name : PROFILE_DEFAULT, err);
}
