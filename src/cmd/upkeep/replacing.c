#include "cmd/upkeep/replacing.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/next_host.h"
#include "home/words.h"

void
replacing_words(const struct next_host *n, const struct manifest *m,
    struct buf *out)
{
	words_put_safe(out, m->name);
	if (!n->serves) {
		buf_puts(out, ": not moved: ");
		words_put_safe(out, n->why.msg);
		buf_putc(out, '\n');
		return;
	}
	buf_puts(out, ": now on ");
	words_put_safe(out, n->to);
	buf_printf(out, " (%" PRId64 " ms", n->ms);
	if (strcmp(n->from, n->to) != 0) {
		buf_puts(out, ", before: ");
		words_put_safe(out, n->from);
	}
	buf_puts(out, ")\n");
}

int
replacing_answer(struct call *call, int rc, const struct next_host *n,
    const struct fault *f)
{
	const struct manifest *m = &call->target->session;
	struct json_out j;

	if (rc < 0)
		return out_fault(call->out, f);
	if (call->out->json) {
		out_begin(call->out, &j);
		next_host_json(n, m, &j);
	} else {
		replacing_words(n, m, &call->out->buf);
	}
	return out_send(call->out);
}
