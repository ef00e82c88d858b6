#include "agent/activity.h"

#include <errno.h>
#include <string.h>

static const char *const names[ACTIVITIES] = {
	[ACTIVITY_UNKNOWN] = "unknown",
	[ACTIVITY_IDLE] = "idle",
	[ACTIVITY_WORKING] = "working",
	[ACTIVITY_DONE] = "done",
	[ACTIVITY_WAITING_PERMISSION] = "waiting_permission",
	[ACTIVITY_WAITING_QUESTION] = "waiting_question",
	[ACTIVITY_NEEDS_SETUP] = "needs_setup",
	[ACTIVITY_ERROR] = "error",
};

const char *
activity_name(enum activity a)
{
	return names[a];
}

int
activity_parse(const char *name, enum activity *out)
{
	for (int i = 0; i < ACTIVITIES; i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum activity)i;
			return 0;
		}
	return -EINVAL;
}
