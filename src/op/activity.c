#include "op/activity.h"

#include <errno.h>
#include <string.h>

const char *const activity_names[ACTIVITIES] = {
#define NAME(NAME, name) [ACTIVITY_##NAME] = name,
	ACTIVITY_ROWS(NAME, NAME)
};

const char *
activity_name(enum activity a)
{
	return activity_names[a];
}

int
activity_parse(const char *name, enum activity *out)
{
	for (int i = 0; i < ACTIVITIES; i++)
		if (strcmp(name, activity_names[i]) == 0) {
			*out = (enum activity)i;
			return 0;
		}
	return -EINVAL;
}
