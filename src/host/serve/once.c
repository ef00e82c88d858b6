#include "host/serve/once.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "host/core/session.h"
#include "host/store/event_log.h"
#include "host/store/request_keys.h"
#include "log/reader.h"
#include "log/record.h"
#include "op/ops.h"

#define EVENT_MAX (REQUEST_KEY_ANSWER_MAX + 4096)
#define ALL_MAX \
	(REQUEST_KEYS_BYTES + REQUEST_KEY_ANSWER_MAX + \
	    REQUEST_KEYS_MAX * (6 * REQUEST_KEY_MAX + 256))
#define WAITERS_MAX 64   /* for one key; more are refused */
#define SEGMENTS_READ 2u /* by a host that replaces another */

struct waiter {
	struct list link;
	uint64_t client, id;
};

/* A request under way. */
struct asked {
	struct list link;
	struct once *o;
	struct once_request r;
	char key[REQUEST_KEY_MAX + 1];
	struct list waiters; /* requests with the same key */
	unsigned n_waiters;
};

struct once {
	struct session *session;
	const struct once_hooks *hooks;
	void *arg;
	struct request_keys memory;
	bool read; /* the memory has the keys of the log */
	struct list asked;
};

static struct asked *
asked_of(struct list *link)
{
	return container_of(link, struct asked, link);
}

static struct waiter *
waiter_of(struct list *link)
{
	return container_of(link, struct waiter, link);
}

/* ------------------------------------------------------------------- log */

/* Returns its seq; 0 if the log refused it. */
static uint64_t
add_event(struct once *o, uint8_t type, struct buf *b)
{
	uint64_t seq = 0;

	if (!b->full)
		seq = event_log_add(o->session->event_log, type, 0, b->data,
		    b->len);
	buf_finish(b);
	return seq;
}

static uint64_t
log_begin(struct once *o, const struct request_key *e, const char *by)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	request_keys_put(e, by, &b);
	return add_event(o, RECORD_KEY, &b);
}

static uint64_t
log_end(struct once *o, const struct request_key *e)
{
	struct buf b;

	buf_init(&b, EVENT_MAX);
	request_keys_put_end(e, &b);
	return add_event(o, RECORD_KEY_END, &b);
}

static void
log_all(struct once *o)
{
	struct buf b;

	if (o->memory.count == 0)
		return;
	buf_init(&b, ALL_MAX);
	request_keys_put_all(&o->memory, &b);
	(void)add_event(o, RECORD_KEYS, &b);
}

/* The first seq of the last segments, which are read. */
static uint64_t
read_from(struct log_reader *reader, uint64_t *newest)
{
	auto_free uint64_t *first = NULL;
	int n = log_reader_segments(reader, &first);

	if (n <= 0)
		return 0;
	*newest = first[n - 1];
	return first[n > (int)SEGMENTS_READ ? n - (int)SEGMENTS_READ : 0];
}

/*
 * Each segment begins with all keys that were remembered.  But a host may have
 * died before it wrote them; then the previous segment has them.
 */
static void
read_log(struct once *o)
{
	struct log_reader *reader = NULL;
	uint64_t newest = 0, last_keys = 0;
	struct record rec;

	if (log_reader_open(&reader, o->session->log_dirfd, NULL) < 0)
		return;
	o->read = true;
	if (log_reader_seek(reader, LOG_BY_SEQ, read_from(reader, &newest)) ==
	    0)
		while (log_reader_next_there(reader, &rec)) {
			request_keys_read(&o->memory, &rec);
			if (rec.type == RECORD_KEYS)
				last_keys = rec.seq;
		}
	log_reader_close(reader);
	request_keys_lose(&o->memory);
	/* The first segment has every key from its beginning. */
	if (newest > 1 && last_keys < newest)
		log_all(o);
}

void
once_rotated(struct once *o)
{
	/* A host that could not read its log must not leave the keys behind. */
	if (o->read)
		log_all(o);
	else
		read_log(o);
}

/* -------------------------------------------------------------- lifetime */

struct once *
once_create(struct session *session, const struct once_hooks *hooks, void *arg)
{
	struct once *o = xcalloc(1, sizeof(*o));

	o->session = session;
	o->hooks = hooks;
	o->arg = arg;
	list_init(&o->asked);
	request_keys_init(&o->memory);
	read_log(o);
	return o;
}

static void
asked_destroy(struct asked *a)
{
	event_log_forget(a->o->session->event_log, a);
	list_for_each_safe(it, &a->waiters)
		free(waiter_of(it));
	list_remove(&a->link);
	json_decref(a->r.args);
	free(a);
}

void
once_destroy(struct once *o)
{
	if (o == NULL)
		return;
	list_for_each_safe(it, &o->asked)
		asked_destroy(asked_of(it));
	request_keys_finish(&o->memory);
	free(o);
}

/* ---------------------------------------------------------------- asking */

static int
check_key(const struct op *op, const char *key, struct error *err)
{
	size_t len = strlen(key);
	struct utf8 u = { 0 };
	uint32_t cp;

	for (size_t i = 0; i < len; i++)
		if (utf8_step(&u, (uint8_t)key[i], &cp) == UTF8_DONE &&
		    utf8_acts(cp))
			return error_set(err, EINVAL,
			    "%s: 'key' must be printable", op->name);
	return 0;
}

/* A client may write an argument that it leaves out as null or false. */
static void
drop_absent(json_t *args)
{
	const char *name;
	void *next;
	json_t *value;

	json_object_foreach_safe(args, next, name, value)
	{
		if (json_is_null(value) || json_is_false(value))
			json_object_del(args, name);
	}
}

/*
 * Of all arguments that define the action.  A client may repeat the request
 * with another timeout.
 */
static void
digest_of(const json_t *args, char out[REQUEST_KEY_DIGEST_SIZE])
{
	json_t *what = json_copy((json_t *)args);
	uint8_t digest[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE], *text;
	struct sha256 s;

	json_object_del(what, "key");
	json_object_del(what, "timeout_ms");
	drop_absent(what);
	text = json_dumps(what, JSON_COMPACT | JSON_SORT_KEYS);
	sha256_init(&s);
	sha256_update(&s, text, strlen(text));
	sha256_final(&s, digest);
	sha256_hex(digest, hex);
	memcpy(out, hex, REQUEST_KEY_DIGEST_SIZE - 1);
	out[REQUEST_KEY_DIGEST_SIZE - 1] = '\0';
	free(text);
	json_decref(what);
}

static struct asked *
find_key(struct once *o, const char *key)
{
	list_for_each(it, &o->asked)
		if (strcmp(asked_of(it)->key, key) == 0)
			return asked_of(it);
	return NULL;
}

static int
wait_with(struct asked *a, const struct once_request *r, struct error *err)
{
	struct waiter *w;

	if (a->n_waiters == WAITERS_MAX)
		return error_set(err, EBUSY,
		    "too many requests with this key are waiting");
	w = xcalloc(1, sizeof(*w));
	w->client = r->client;
	w->id = r->id;
	list_append(&a->waiters, &w->link);
	a->n_waiters++;
	return 0;
}

static int
ask_again(struct once *o, const struct request_key *e,
    const struct once_request *r, const char *digest, struct error *err)
{
	struct asked *a = find_key(o, e->key);

	if (strcmp(e->op, r->op->name) != 0 ||
	    (e->digest[0] != '\0' && strcmp(e->digest, digest) != 0))
		return error_set(err, EINVAL,
		    "%s: 'key' was used for another request; use a new one",
		    r->op->name);
	if (a != NULL)
		return wait_with(a, r, err);
	if (e->state != REQUEST_KEY_DONE)
		return error_set(err, ENOTRECOVERABLE,
		    "%s: the host died during this request; the text may "
		    "have been typed, and is not typed again: look at the "
		    "screen",
		    r->op->name);
	if (e->answer == NULL)
		return error_set(err, ENOTRECOVERABLE,
		    "%s: the request was carried out, but its answer is not "
		    "kept any more; see the log",
		    r->op->name);
	o->hooks->deliver(o->arg, r->client, r->id, e->answer, 0);
	return 0;
}

static void
on_noted(void *arg, uint64_t seq)
{
	struct asked *a = arg;
	struct once_request r = a->r; /* it may be answered in there */
	const struct once *o = a->o;

	(void)seq;
	json_incref(r.args);
	failpoint("key-noted");
	o->hooks->begin(o->arg, &r);
	json_decref(r.args);
}

static void
note(struct once *o, const struct once_request *r, const char *key,
    uint64_t seq)
{
	struct asked *a = xcalloc(1, sizeof(*a));

	a->o = o;
	a->r = *r;
	json_incref(r->args);
	a->r.by = NULL; /* belongs to the caller */
	memcpy(a->key, key, strlen(key) + 1);
	list_init(&a->waiters);
	list_append(&o->asked, &a->link);
	event_log_after(o->session->event_log, seq, on_noted, a);
}

static bool
is_secret(const struct once *o, const struct once_request *r)
{
	return op_bool(r->args, "secret", false) || o->hooks->is_secret(o->arg);
}

static int
ask_first(struct once *o, const struct once_request *r, const char *key,
    const char *digest, struct error *err)
{
	struct request_key *e;
	uint64_t seq = 0;

	e = event_log_unlogged_since(o->session->event_log) != 0 ?
	    NULL :
	    request_keys_add(&o->memory, key, r->op->name,
		is_secret(o, r) ? "" : digest);
	if (e != NULL)
		seq = log_begin(o, e, r->by);
	if (seq == 0) {
		if (e != NULL)
			request_keys_forget(&o->memory, e);
		return error_set(err, ENOSPC,
		    "%s: the log is behind and cannot take the key now; "
		    "nothing was typed",
		    r->op->name);
	}
	note(o, r, key, seq);
	return ONCE_NOTED;
}

int
once_ask(struct once *o, const struct once_request *r, struct error *err)
{
	const char *key = op_string(r->args, "key", "");
	char digest[REQUEST_KEY_DIGEST_SIZE];
	const struct request_key *e;
	int rc = check_key(r->op, key, err);

	if (rc < 0)
		return rc;
	if (!o->read)
		read_log(o);
	if (!o->read)
		return error_set(err, ENOSPC,
		    "%s: the log cannot be read now, and it may have this "
		    "key; nothing was typed",
		    r->op->name);
	digest_of(r->args, digest);
	e = request_keys_find(&o->memory, key);
	return e != NULL ? ask_again(o, e, r, digest, err) :
			   ask_first(o, r, key, digest, err);
}

/* -------------------------------------------------------------- answering */

static struct asked *
find_request(struct once *o, uint64_t client, uint64_t id)
{
	list_for_each(it, &o->asked)
		if (asked_of(it)->r.client == client &&
		    asked_of(it)->r.id == id)
			return asked_of(it);
	return NULL;
}

bool
once_answer(struct once *o, uint64_t client, uint64_t id, bool typed,
    const char *answer, size_t len)
{
	struct asked *a = find_request(o, client, id);
	struct request_key *e;
	char *text;
	uint64_t seq;

	if (a == NULL)
		return false;
	e = request_keys_find(&o->memory, a->key);
	text = xcalloc(len + 1, 1);
	memcpy(text, answer, len);
	failpoint("key-typed");
	if (typed)
		request_keys_done(&o->memory, e, answer, len);
	seq = log_end(o, e);
	if (!typed)
		request_keys_forget(&o->memory, e);
	o->hooks->deliver(o->arg, client, id, text, seq);
	list_for_each(it, &a->waiters)
		o->hooks->deliver(o->arg, waiter_of(it)->client,
		    waiter_of(it)->id, text, seq);
	free(text);
	asked_destroy(a);
	return true;
}
