#include "cmd/end/ending.h"

#include "base/error.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/ending.h"
#include "home/fault.h"
#include "home/units.h"
#include "home/words.h"

int
ending_grace(struct call *call, const char *text, uint32_t *grace_ms)
{
	struct error err;
	uint64_t ns;

	*grace_ms = ENDING_GRACE_MS;
	if (text == NULL)
		return 0;
	if (units_duration_with_unit(text, &ns, &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "--grace: %s", err.msg);
	if (ns / 1000000 > ENDING_GRACE_MAX_MS)
		return out_fail(call->out, FAIL_USAGE,
		    "--grace %s: the maximum is a day", text);
	*grace_ms = (uint32_t)(ns / 1000000);
	return 0;
}

/*
 * Answer with the session's object in JSON.  In plain text, answer only for one
 * of several sessions, with one line.
 */
static int
answer(struct call *call)
{
	const struct manifest *m = &call->target->session;
	char how[WORDS_MAX];
	struct json_out j;

	if (call->out->json) {
		out_begin(call->out, &j);
		manifest_json(m, &j);
	} else if (call->several) {
		words_outcome(m, how, sizeof(how));
		buf_printf(&call->out->buf, "%s %s\n",
		    handle_name(call->target), how);
	}
	return out_send(call->out);
}

int
ending_end(struct call *call, const struct ending *e)
{
	struct fault f;

	if (ending_run(call->target, e, &f) < 0)
		return out_fault(call->out, &f);
	return answer(call);
}
