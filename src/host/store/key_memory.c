#include "host/store/key_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "log/payload_json.h"

static const char *const states[] = { "open", "done", "lost" };

static struct key_entry *
entry_of(struct list *link)
{
	return container_of(link, struct key_entry, link);
}

void
key_memory_init(struct key_memory *m)
{
	*m = (struct key_memory){ 0 };
	list_init(&m->entries);
}

void
key_memory_finish(struct key_memory *m)
{
	list_for_each_safe(it, &m->entries)
		key_memory_forget(m, entry_of(it));
}

struct key_entry *
key_memory_find(struct key_memory *m, const char *key)
{
	list_for_each(it, &m->entries)
		if (strcmp(entry_of(it)->key, key) == 0)
			return entry_of(it);
	return NULL;
}

static void
drop_answer(struct key_memory *m, struct key_entry *e)
{
	m->bytes -= e->len;
	free(e->answer);
	e->answer = NULL;
	e->len = 0;
}

void
key_memory_forget(struct key_memory *m, struct key_entry *e)
{
	drop_answer(m, e);
	list_remove(&e->link);
	m->count--;
	free(e);
}

/* True if a key could be forgotten. */
static bool
forget_oldest(struct key_memory *m)
{
	list_for_each(it, &m->entries) {
		if (entry_of(it)->state == KEY_OPEN)
			continue;
		key_memory_forget(m, entry_of(it));
		return true;
	}
	return false;
}

struct key_entry *
key_memory_add(struct key_memory *m, const char *key, const char *op,
    const char *digest)
{
	struct key_entry *e;

	if (m->count == KEY_MEMORY_MAX && !forget_oldest(m))
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
drop_oldest_answers(struct key_memory *m)
{
	list_for_each(it, &m->entries) {
		if (m->bytes <= KEY_MEMORY_BYTES)
			return;
		drop_answer(m, entry_of(it));
	}
}

void
key_memory_done(struct key_memory *m, struct key_entry *e, const char *answer,
    size_t len)
{
	e->state = KEY_DONE;
	if (len > KEY_ANSWER_MAX)
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
digest_of(const struct key_entry *e)
{
	return e->digest[0] != '\0' ? e->digest : NULL;
}

void
key_memory_put(const struct key_entry *e, const char *by, struct buf *out)
{
	payload_key_encode(&(struct payload_key){ e->key, e->op, digest_of(e),
			       by },
	    out);
}

void
key_memory_put_end(const struct key_entry *e, struct buf *out)
{
	payload_key_end_encode(
	    &(struct payload_key_end){
		.key = e->key,
		.typed = e->state != KEY_OPEN,
		.answer = e->answer,
	    },
	    out);
}

void
key_memory_put_all(const struct key_memory *m, struct buf *out)
{
	auto_free struct payload_known_key *keys = xcalloc(m->count + 1,
	    sizeof(*keys));
	struct payload_keys all = { .keys = keys };

	list_for_each(it, (struct list *)&m->entries) {
		const struct key_entry *e = entry_of(it);

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
static struct key_entry *
take_key(struct key_memory *m, const char *key, const char *op,
    const char *digest)
{
	struct key_entry *old;

	if (key == NULL || key[0] == '\0' || strlen(key) > KEY_MAX)
		return NULL;
	old = key_memory_find(m, key);
	if (old != NULL)
		key_memory_forget(m, old);
	return key_memory_add(m, key, or_empty(op), or_empty(digest));
}

static void
take_answer(struct key_memory *m, struct key_entry *e, const json_t *answer)
{
	char *s = answer != NULL ? json_dumps(answer, JSON_COMPACT) : NULL;

	if (s != NULL)
		key_memory_done(m, e, s, strlen(s));
	else
		e->state = KEY_DONE;
	free(s);
}

static void
take_end(struct key_memory *m, const struct payload_key_end *end)
{
	struct key_entry *e = key_memory_find(m, or_empty(end->key));

	if (e == NULL)
		return;
	if (end->typed)
		take_answer(m, e, end->answer_tree);
	else
		key_memory_forget(m, e);
}

static void
take_known(struct key_memory *m, const struct payload_known_key *k)
{
	struct key_entry *e = take_key(m, k->key, k->op, k->digest);

	if (e == NULL)
		return;
	if (strcmp(or_empty(k->state), states[KEY_DONE]) == 0)
		take_answer(m, e, k->answer_tree);
	else if (strcmp(or_empty(k->state), states[KEY_LOST]) == 0)
		e->state = KEY_LOST;
}

/* The record has all remembered keys: drop earlier ones. */
static void
take_all(struct key_memory *m, const struct payload_keys *all)
{
	struct payload_known_key known;
	const json_t *one;
	size_t i;

	key_memory_finish(m);
	json_array_foreach(all->keys_tree, i, one)
	{
		payload_known_key_read(&known, one);
		take_known(m, &known);
	}
}

void
key_memory_read(struct key_memory *m, const struct record *rec)
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
key_memory_lose(struct key_memory *m)
{
	list_for_each(it, &m->entries)
		if (entry_of(it)->state == KEY_OPEN)
			entry_of(it)->state = KEY_LOST;
}
