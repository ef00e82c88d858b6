#include "home/steps.h"

#include <stddef.h>

#include <jansson.h>

#include "client/batch.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/report.h"
#include "home/waiting.h"

/* This fails the step, not the batch. */
static json_t *
on_lost(void *arg, json_t *args)
{
	struct handle *h = arg;
	struct report silent;
	struct fault fault;
	struct waiting_one one = { .handle = h };
	struct waiting w = { .report = &silent,
		.fault = &fault,
		.ones = &one,
		.n = 1,
		.args = args,
		.cancel_fd = h->cancel_fd };

	report_init(&silent, NULL, NULL);
	conn_close(&h->conn);
	if (handle_refresh(h, NULL) == 0)
		(void)waiting_run(&w);
	report_finish(&silent);
	return one.result;
}

int
steps_run(struct handle *h, struct batch *b, bool keep_going, struct fault *f)
{
	if (h->conn.fd < 0 && handle_connect(h, f) < 0)
		return -1;
	h->conn.cancel_fd = h->cancel_fd;
	batch_on_lost(b, on_lost, h);
	batch_run(b, &h->conn, keep_going);
	return 0;
}
