#include "host/system/sandbox.h"

#include <sys/syscall.h>

#include "sandbox/filter.h"

#define ALLOW(name) { .call = __NR_##name },

static const struct filter_rule rules[] = {
#include "host/system/sandbox.def"
};

int
sandbox_enter(const struct log *log)
{
	return filter_enter(log, rules, sizeof(rules) / sizeof(*rules));
}
