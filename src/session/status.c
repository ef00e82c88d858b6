#include "session/status.h"

#include "base/json_field.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

const char *const status_names[STATUS_COUNT] = {
	[STATUS_STARTING] = "starting",
	[STATUS_RUNNING] = "running",
	[STATUS_EXITING] = "exiting",
	[STATUS_EXITED] = "exited",
	[STATUS_FAILED] = "failed",
	[STATUS_DESTROYING] = "destroying",
	[STATUS_DESTROYED] = "destroyed",
};
const char *const outcome_names[OUTCOME_COUNT] = {
	[OUTCOME_NONE] = NULL,
	[OUTCOME_EXITED] = "exited",
	[OUTCOME_STOPPED] = "stopped",
	[OUTCOME_KILLED] = "killed",
	[OUTCOME_FAILED] = "failed",
	[OUTCOME_LOST] = "lost",
};
const char *const input_policy_names[INPUT_POLICY_COUNT] = {
	[INPUT_POLICY_SHARED] = "shared",
	[INPUT_POLICY_LEASE] = "lease",
};
const char *const size_policy_names[SIZE_COUNT] = {
	[SIZE_SMALLEST] = "smallest",
	[SIZE_LATEST] = "latest",
	[SIZE_LARGEST] = "largest",
	[SIZE_FIXED] = "fixed",
};
const char *const restart_policy_names[RESTART_COUNT] = {
	[RESTART_NEVER] = "never",
	[RESTART_ON_FAILURE] = "on-failure",
	[RESTART_ALWAYS] = "always",
};

const char *const log_input_names[LOG_INPUT_COUNT] = {
	[LOG_INPUT_ALL] = "all",
	[LOG_INPUT_LENGTHS] = "lengths",
	[LOG_INPUT_NONE] = "none",
};

/* K-04.  A status that is not active is terminal. */
static const struct truth {
	bool active, live_host, collectable;
} truths[STATUS_COUNT] = {
	/* clang-format off */
	[STATUS_STARTING] =	{ .active = 1, .live_host = 1 },
	[STATUS_RUNNING] =	{ .active = 1, .live_host = 1 },
	[STATUS_EXITING] =	{ .active = 1, .live_host = 1 },
	[STATUS_EXITED] =	{ .collectable = 1 },
	[STATUS_FAILED] =	{ .collectable = 1 },
	[STATUS_DESTROYING] =	{ .active = 1 },
	[STATUS_DESTROYED] =	{ .collectable = 1 },
	/* clang-format on */
};

bool
status_is_active(enum status s)
{
	return truths[s].active;
}

bool
status_is_terminal(enum status s)
{
	return !truths[s].active;
}

bool
status_has_live_host(enum status s)
{
	return truths[s].live_host;
}

bool
status_is_collectable(enum status s)
{
	return truths[s].collectable;
}

const char *
status_name(enum status s)
{
	return status_names[s];
}

const char *
outcome_name(enum outcome o)
{
	return outcome_names[o];
}

const char *
input_policy_name(enum input_policy p)
{
	return input_policy_names[p];
}

const char *
size_policy_name(enum size_policy p)
{
	return size_policy_names[p];
}

const char *
restart_policy_name(enum restart_policy p)
{
	return restart_policy_names[p];
}

const char *
log_input_name(enum log_input l)
{
	return log_input_names[l];
}

int
input_policy_parse(const char *s, enum input_policy *out, struct error *err)
{
	int i = json_name_find("the input policy", input_policy_names,
	    N(input_policy_names), s, err);

	if (i < 0)
		return i;
	*out = (enum input_policy)i;
	return 0;
}

int
size_policy_parse(const char *s, enum size_policy *out, struct error *err)
{
	int i = json_name_find("the size policy", size_policy_names,
	    N(size_policy_names), s, err);

	if (i < 0)
		return i;
	*out = (enum size_policy)i;
	return 0;
}

int
log_input_parse(const char *s, enum log_input *out, struct error *err)
{
	int i = json_name_find("what is logged of input", log_input_names,
	    N(log_input_names), s, err);

	if (i < 0)
		return i;
	*out = (enum log_input)i;
	return 0;
}

int
restart_policy_parse(const char *s, enum restart_policy *out, struct error *err)
{
	int i = json_name_find("restart", restart_policy_names,
	    N(restart_policy_names), s, err);

	if (i < 0)
		return i;
	*out = (enum restart_policy)i;
	return 0;
}
