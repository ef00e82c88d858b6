#include <stdatomic.h>

#include "base/loop.h"
#include "host/ask/exec_state.h"
#include "host/core/session.h"
#include "host/store/event_log.h"

/* The runs: handing one over to the next host. */

/* The state of a run in the ring as one number; 0: there is no run. */
#define HOW_STAGE 0xfu
#define HOW_WAY(how) ((enum exec_way)((how) >> 4 & 0xfu))
#define HOW_EXACT (1u << 8)
#define HOW_HOLDS (1u << 9)
#define HOW_ROUGH (1u << 10)

void
exec_note(const struct execs *r)
{
	struct ring_shared *shared = r->session->terminal.ring.shared;
	const struct exec *u = &r->run;

	/*
	 * If the host dies between here and the last store, the next one finds
	 * no run.
	 */
	atomic_store(&shared->run_how, 0);
	if (u->stage < EXEC_TYPED)
		return;
	atomic_store(&shared->run_key, u->chance);
	atomic_store(&shared->run_event, u->event);
	atomic_store(&shared->run_from, u->from);
	atomic_store(&shared->run_how,
	    (uint32_t)u->stage | (uint32_t)u->way << 4 |
		(u->exact ? HOW_EXACT : 0) | (u->rough ? HOW_ROUGH : 0) |
		(r->hold.why == HOLD_ECHO ? HOW_HOLDS : 0));
}

/* The event of its beginning may be among the last ones that the log lost. */
void
exec_go_on(struct execs *r)
{
	struct ring_shared *shared = r->session->terminal.ring.shared;
	uint32_t how = atomic_load(&shared->run_how);
	uint64_t event = atomic_load(&shared->run_event);

	if (how == 0)
		return;
	r->run = (struct exec){
		.stage = (enum exec_stage)(how & HOW_STAGE),
		.way = HOW_WAY(how),
		.exact = how & HOW_EXACT,
		.rough = how & HOW_ROUGH,
		.script_fd = -1,
		.event = event <= event_log_seq(r->session->event_log) ? event :
									 0,
		.from = atomic_load(&shared->run_from),
	};
	r->run.to = r->run.from;
	buf_init(&r->run.output, 0);
	exec_set_key(r, atomic_load(&shared->run_key));
	if (how & HOW_HOLDS)
		exec_hold_echo(r, r->run.from, NULL);
}
