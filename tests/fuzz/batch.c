/*
 * Any bytes as the steps of a batch.  A refused step is named.  Every other
 * step is a request that a host accepts.  Without a host the first step fails
 * and the rest do not run.
 */
#include "client/batch.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "client/conn.h"
#include "fuzz.h"

static void
expect(const struct batch *b, json_int_t completed, size_t failed)
{
	struct json_out j;
	struct buf out;
	json_t *result;

	buf_init(&out, 16u << 20);
	json_out_init(&j, &out);
	batch_put(b, &j);
	result = json_tree_object((char *)out.data, out.len, NULL);
	MUST(result != NULL);
	MUST(json_array_size(json_object_get(result, "steps")) ==
	    batch_steps(b));
	MUST(json_integer_value(json_object_get(result, "completed")) ==
	    completed);
	MUST(json_array_size(json_object_get(result, "failed")) == failed);
	json_decref(result);
	buf_finish(&out);
}

/* The host ended before it read anything. */
static void
run(struct batch *b)
{
	struct conn c = { .next_id = 1, .give = -1 };
	struct batch_step s;
	int pair[2];

	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	c.fd = pair[0];
	close(pair[1]);
	buf_init(&c.in, 1u << 20);
	batch_run(b, &c, false);
	for (size_t i = 0; i < batch_steps(b); i++) {
		batch_step(b, i, &s);
		MUST(s.status == (i == 0 ? BATCH_FAILED : BATCH_NOT_RUN));
		MUST((s.message[0] != '\0') == (i == 0));
	}
	conn_close(&c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	json_t *steps = json_tree_read((const char *)p, len, NULL);
	struct error err = { 0 };
	struct batch *b;

	if (steps == NULL)
		return 0;
	b = batch_create(steps, &err);
	json_decref(steps);
	if (b == NULL) {
		MUST(strstr(err.msg, "step") != NULL);
		return 0;
	}
	expect(b, 0, 0);
	run(b);
	expect(b, 0, 1);
	batch_destroy(b);
	return 0;
}
