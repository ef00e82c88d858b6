#include "host/store/request_keys.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "log/payload_json.h"

static const char *const states[] = { "open", "done", "lost" };

static struct request_key *
entry_of(struct list *link)
{
	return container_of(link, struct request_key, link);
}

void
request_keys_init(struct request_keys *m)
{
	*m = (struct request_keys){ 0 };
	list_init(&m->entries);
}

void
request_keys_finish(struct request_keys *m)
{
	list_for_each_safe(it, &m->entries)
		request_keys_forget(m, entry_of(it));
}

struct request_key *
request_keys_find(struct request_keys *m, const char *key)
{
	list_for_each(it, &m->entries)
		if (strcmp(entry_of(it)->key, key) == 0)
			return entry_of(it);
	return NULL;
}

static void
drop_answer(struct request_keys *m, struct request_key *e)
{
	m->bytes -= e->len;
	free(e->answer);
	e->answer = NULL;
	e->len = 0;
}

void
request_keys_forget(struct request_keys *m, struct request_key *e)
{
	drop_answer(m, e);
	list_remove(&e->link);
	m->count--;
	free(e);
}

/* True if a key could be forgotten. */
static bool
forget_oldest(struct request_keys *m)
{
	list_for_each(it, &m->entries) {
		if (entry_of(it)->state == REQUEST_KEY_OPEN)
			continue;
		request_keys_forget(m, entry_of(it));
		return true;
	}
	return false;
}

struct request_key *
request_keys_add(struct request_keys *m, const char *key, const char *op,
    const char *digest)
{
	struct request_key *e;

	if (m->count == REQUEST_KEYS_MAX && !forget_oldest(m))
		return NULL;
	e = xcalloc(1, sizeof(*e));
	snprintf(e->key, sizeof(e->key), "%s", key);
	snprintf(e->op, sizeof(e->op), "%s", op);
	snprintf(e->digest, sizeof(e->digest), "%s", digest);
	list_append(&m->entries, &e->link);
	m->count++;
	return e;
}

/* A key without its answer still keeps its request from being typed again. */
static void
drop_oldest_answers(struct request_keys *m)
{
	list_for_each(it, &m->entries) {
		if (m->bytes <= REQUEST_KEYS_BYTES)
			return;
		drop_answer(m, entry_of(it));
	}
}

void
request_keys_done(struct request_keys *m, struct request_key *e,
    const char *answer, size_t len)
{
	e->state = REQUEST_KEY_DONE;
	if (len > REQUEST_KEY_ANSWER_MAX)
		return;
	e->answer = xcalloc(len + 1, 1);
	memcpy(e->answer, answer, len);
	e->len = len;
	m->bytes += len;
	list_remove(&e->link);
	list_append(&m->entries, &e->link);
	drop_oldest_answers(m);
}

/* ---------------------------------------------------------------- writing */

static const char *
digest_of(const struct request_key *e)
{
	return e->digest[0] != '\0' ? e->digest : NULL;
}

void
request_keys_put(const struct request_key *e, const char *by, struct buf *out)
{
	payload_key_encode(&(struct payload_key){ e->key, e->op, digest_of(e),
			       by },
	    out);
}

void
request_keys_put_end(const struct request_key *e, struct buf *out)
{
	payload_key_end_encode(
	    &(struct payload_key_end){
		.key = e->key,
		.typed = e->state != REQUEST_KEY_OPEN,
		.answer = e->answer,
	    },
	    out);
}

void
request_keys_put_all(const struct request_keys *m, struct buf *out)
{
	auto_free struct payload_known_key *keys = xcalloc(m->count + 1,
	    sizeof(*keys));
	struct payload_keys all = { .keys = keys };

	list_for_each(it, (struct list *)&m->entries) {
		const struct request_key *e = entry_of(it);

		keys[all.keys_count++] = (struct payload_known_key){
			.key = e->key,
			.op = e->op,
			.digest = digest_of(e),
			.state = states[e->state],
			.answer = e->answer,
		};
	}
	payload_keys_encode(&all, out);
}

/* ---------------------------------------------------------------- reading */

static const char *
or_empty(const char *s)
{
	return s != NULL ? s : "";
}

/* NULL if this is not one of our keys. */
static struct request_key *
take_key(struct request_keys *m, const char *key, const char *op,
    const char *digest)
{
	struct request_key *old;

	if (key == NULL || key[0] == '\0' || strlen(key) > REQUEST_KEY_MAX)
		return NULL;
	old = request_keys_find(m, key);
	if (old != NULL)
		request_keys_forget(m, old);
	return request_keys_add(m, key, or_empty(op), or_empty(digest));
}

static void
take_answer(struct request_keys *m, struct request_key *e, const json_t *answer)
{
	char *s = answer != NULL ? json_dumps(answer, JSON_COMPACT) : NULL;

	if (s != NULL)
		request_keys_done(m, e, s, strlen(s));
	else
		e->state = REQUEST_KEY_DONE;
	free(s);
}

static void
take_end(struct request_keys *m, const struct payload_key_end *end)
{
	struct request_key *e = request_keys_find(m, or_empty(end->key));

	if (e == NULL)
		return;
	if (end->typed)
		take_answer(m, e, end->answer_tree);
	else
		request_keys_forget(m, e);
}

static void
take_known(struct request_keys *m, const struct payload_known_key *k)
{
	struct request_key *e = take_key(m, k->key, k->op, k->digest);

	if (e == NULL)
		return;
	if (strcmp(or_empty(k->state), states[REQUEST_KEY_DONE]) == 0)
		take_answer(m, e, k->answer_tree);
	else if (strcmp(or_empty(k->state), states[REQUEST_KEY_LOST]) == 0)
		e->state = REQUEST_KEY_LOST;
}

/* The record has all remembered keys: drop earlier ones. */
static void
take_all(struct request_keys *m, const struct payload_keys *all)
{
	struct payload_known_key known;
	const json_t *one;
	size_t i;

	request_keys_finish(m);
	json_array_foreach(all->keys_tree, i, one)
	{
		payload_known_key_read(&known, one);
		take_known(m, &known);
	}
}

void
request_keys_read(struct request_keys *m, const struct record *rec)
{
	auto_json json_t *tree = NULL;
	struct payload_key_end end;
	struct payload_keys all;
	struct payload_key key;

	if (payload_key_of(&key, rec, &tree))
		(void)take_key(m, key.key, key.op, key.digest);
	else if (payload_key_end_of(&end, rec, &tree))
		take_end(m, &end);
	else if (payload_keys_of(&all, rec, &tree))
		take_all(m, &all);
}

void
request_keys_lose(struct request_keys *m)
{
	list_for_each(it, &m->entries)
		if (entry_of(it)->state == REQUEST_KEY_OPEN)
			entry_of(it)->state = REQUEST_KEY_LOST;
}
