#include "hub/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "home/fault.h"
#include "op/failure.h"
#include "web/response.h"

/* The HTTP status of each failure of failures.def. */
static int
status_of(enum failure f)
{
	static const short statuses[FAIL_COUNT] = {
		[FAIL_INTERNAL] = 500,
		[FAIL_USAGE] = 400,
		[FAIL_INPUT] = 400,
		[FAIL_EXISTS] = 409,
		[FAIL_NOT_FOUND] = 404,
		[FAIL_NOT_RUNNING] = 409,
		[FAIL_TIMEOUT] = 504,
		[FAIL_UNREACHABLE] = 503,
		[FAIL_STORAGE] = 507,
		[FAIL_PROTOCOL] = 502,
		[FAIL_REPLAY] = 422,
		[FAIL_DENIED] = 403,
		[FAIL_BUSY] = 503,
		[FAIL_STALE] = 412,
		[FAIL_UNKNOWN] = 502,
		[FAIL_CUT_OFF] = 502,
		[FAIL_CANCELLED] = 499,
	};

	return statuses[f] != 0 ? statuses[f] : 500;
}

json_t *
refusal_json(int status, const char *code, const char *detail, bool retryable,
    const char *argument)
{
	json_t *o = json_pack("{s:s, s:s, s:i, s:o, s:s, s:b}", "type",
	    "about:blank", "title", response_reason(status), "status", status,
	    "detail", json_tree_text(detail), "code", code, "retryable",
	    retryable);

	if (argument != NULL && argument[0] != '\0')
		json_object_set_new(o, "argument", json_string(argument));
	return o;
}

json_t *
refusal_of_fault(const struct fault *f, int *status)
{
	char name[FAULT_ARGUMENT_SIZE + 2], words[FAULT_WORDS_MAX];

	snprintf(name, sizeof(name), "'%s'", f->argument);
	fault_words(f, name, "", words);
	*status = status_of(f->failure);
	return refusal_json(*status, failure_code(f->failure), words,
	    failure_is_retryable(f->failure), f->argument);
}

void
refusal_put(struct buf *out, int status, const char *code, const char *detail)
{
	static const char again[] = "Retry-After: " REFUSAL_RETRY_S "\r\n";
	bool retryable = failure_is_retryable(failure_called(code));
	json_t *o = refusal_json(status, code, detail, retryable, NULL);
	auto_free char *text = json_dumps(o, JSON_COMPACT);
	struct response r = { .status = status,
		.type = REFUSAL_TYPE,
		.length = strlen(text),
		.extra = again,
		.extra_len = status == 503 ? strlen(again) : 0 };

	response_head(out, &r);
	(void)buf_puts(out, text);
	json_decref(o);
}
