#include "op/format.h"

#include <string.h>

static const struct {
	const char *name, *summary;
} formats[SNAPSHOT_FORMATS] = {
#define ROW(NAME, name, summary) [SNAPSHOT_##NAME] = { name, summary },
	FORMATS(ROW, ROW, ROW)
#undef ROW
};

enum snapshot_format
format_find(const char *name)
{
	unsigned f = 0;

	while (f < SNAPSHOT_FORMATS && strcmp(formats[f].name, name) != 0)
		f++;
	return (enum snapshot_format)f;
}

const char *
format_name(enum snapshot_format f)
{
	return formats[f].name;
}

const char *
format_summary(enum snapshot_format f)
{
	return formats[f].summary;
}
