#include "cmd/line/verbs.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "home/suggest.h"

/* The verbs as "create, list or revoke"; the caller frees it. */
static char *
list(const struct verb *verbs)
{
	struct buf b;

	buf_init(&b, 1024);
	for (size_t i = 0; verbs[i].name != NULL; i++)
		buf_printf(&b, "%s%s",
		    i == 0                        ? "" :
			verbs[i + 1].name == NULL ? " or " :
						    ", ",
		    verbs[i].name);
	return buf_take(&b);
}

static int
refuse_word(struct call *call, const struct verb *verbs)
{
	const char *name = call->out->command;
	auto_free char *words = list(verbs);
	struct suggest near;

	if (call->argc == 0)
		return out_fail(call->out, FAIL_USAGE,
		    "give one of %s; see 'tend %s -h'", words, name);
	suggest_init(&near, call->argv[0]);
	for (size_t i = 0; verbs[i].name != NULL; i++)
		suggest_look(&near, verbs[i].name);
	if (near.best[0] != '\0')
		return out_fail(call->out, FAIL_USAGE,
		    "unexpected argument: %s; did you mean 'tend %s %s'?",
		    call->argv[0], name, near.best);
	return out_fail(call->out, FAIL_USAGE,
	    "unexpected argument: %s; give one of %s", call->argv[0], words);
}

static bool
is_given(const struct opt *o, const char *args)
{
	const void *field = args + o->offset;

	if (o->is_list)
		return ((const struct opt_list *)field)->n > 0;
	if (o->arg != NULL)
		return *(const char *const *)field != NULL;
	return *(const bool *)field;
}

static bool
has_option(const struct verb *v, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = v->options; *p != '\0'; p += *p == ' ') {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, name, n) == 0)
			return true;
		p += n;
	}
	return false;
}

static int
check_options(struct call *call, const struct verb *v,
    const struct opt *options)
{
	for (const struct opt *o = options; o->name != NULL; o++) {
		if (is_given(o, call->args) && !has_option(v, o->name))
			return out_fail(call->out, FAIL_USAGE,
			    "'tend %s %s' has no option --%s; see 'tend %s -h'",
			    call->out->command, v->name, o->name,
			    call->out->command);
	}
	return 0;
}

int
verbs_run(struct call *call, const struct verb *verbs,
    const struct opt *options)
{
	const struct verb *v = verbs;
	int status;

	while (v->name != NULL &&
	    (call->argc == 0 || strcmp(v->name, call->argv[0]) != 0))
		v++;
	if (v->name == NULL)
		return refuse_word(call, verbs);
	status = check_options(call, v, options);
	if (status != 0)
		return status;
	call->argc--;
	call->argv++;
	return v->run(call);
}
