#include <stdio.h>

#include "client/attach_state.h"
#include "client/greeting.h"

/* Attaching: the greeting, and the notice when nothing can be typed. */

void
attach_prefix(const struct attach *a, char out[ATTACH_PREFIX_MAX])
{
	char name[KEY_NAME_MAX] = "";

	(void)key_name(&a->keys.prefix, name, sizeof(name));
	snprintf(out, ATTACH_PREFIX_MAX, "%s%s%s", name, a->inner ? " " : "",
	    a->inner ? name : "");
}

/*
 * Not if the program's own bytes must pass through: a line of ours would keep
 * them out of the terminal's scrollback.
 */
void
attach_greet(struct attach *a)
{
	char prefix[ATTACH_PREFIX_MAX], text[GREETING_MAX];

	if (a->options->in_line || a->view.as_is)
		return;
	attach_prefix(a, prefix);
	greeting_text(&(struct greeting){ a->name, prefix,
			  keys_of(&a->keys.bound, KEYS_DETACH),
			  keys_of(&a->keys.bound, KEYS_HELP), a->keys.muted },
	    a->view.cols, text);
	attach_notice(a, text);
	a->greeting = true;
}

/* A user who types wants to see the row under the greeting. */
void
attach_on_typed(struct attach *a)
{
	a->keys.typed = false;
	if (a->keys.muted)
		attach_notice(a, " view only: your keys are not typed");
	else if (a->greeting)
		attach_notice(a, NULL);
}

/* The host would refuse it as well, but only after the user was asked. */
bool
attach_refuses(struct attach *a, enum keys_command command)
{
	static const char *const changes[KEYS_UNKNOWN + 1] = {
		[KEYS_RENAME] = "rename it",
		[KEYS_MARK] = "mark this moment",
		[KEYS_TAKE] = "take over typing",
		[KEYS_OTHERS] = "detach others",
		[KEYS_KILL] = "kill it",
	};
	char text[64];

	if (!a->keys.muted || changes[command] == NULL)
		return false;
	snprintf(text, sizeof(text), " view only: you cannot %s",
	    changes[command]);
	attach_notice(a, text);
	return true;
}
