#include "host/store/key_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "log/record.h"

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
	/* Keep the caller's key for last. */
	list_remove(&e->link);
	list_append(&m->entries, &e->link);
	while (m->bytes > KEY_MEMORY_BYTES && forget_oldest(m))
		continue;
}

/* ---------------------------------------------------------------- writing */

static void
put_entry(struct json_out *j, const struct key_entry *e)
{
	json_put_text(j, "key", e->key);
	json_put_text(j, "op", e->op);
	json_put_text(j, "digest", e->digest[0] != '\0' ? e->digest : NULL);
}

static void
put_answer(struct json_out *j, const struct key_entry *e)
{
	json_out_key(j, "answer");
	if (e->answer == NULL)
		json_out_null(j);
	else
		json_out_json(j, e->answer);
}

void
key_memory_put(const struct key_entry *e, const char *by, struct buf *out)
{
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	put_entry(&j, e);
	json_put_text(&j, "by", by);
	json_out_close(&j, '}');
}

void
key_memory_put_end(const struct key_entry *e, struct buf *out)
{
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_text(&j, "key", e->key);
	json_put_bool(&j, "typed", e->state != KEY_OPEN);
	put_answer(&j, e);
	json_out_close(&j, '}');
}

void
key_memory_put_all(const struct key_memory *m, struct buf *out)
{
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_open(&j, "keys", '[');
	list_for_each(it, (struct list *)&m->entries) {
		const struct key_entry *e = entry_of(it);

		json_out_open(&j, '{');
		put_entry(&j, e);
		json_put_text(&j, "state", states[e->state]);
		put_answer(&j, e);
		json_out_close(&j, '}');
	}
	json_out_close(&j, ']');
	json_out_close(&j, '}');
}

/* ---------------------------------------------------------------- reading */

static const char *
text(const json_t *object, const char *name)
{
	const char *s = json_string_value(json_object_get(object, name));

	return s != NULL ? s : "";
}

/* NULL if this is not one of our keys. */
static struct key_entry *
read_entry(struct key_memory *m, const json_t *o)
{
	const char *key = text(o, "key");
	struct key_entry *old;

	if (key[0] == '\0' || strlen(key) > KEY_MAX)
		return NULL;
	old = key_memory_find(m, key);
	if (old != NULL)
		key_memory_forget(m, old);
	return key_memory_add(m, key, text(o, "op"), text(o, "digest"));
}

static void
read_answer(struct key_memory *m, struct key_entry *e, const json_t *o)
{
	const json_t *answer = json_object_get(o, "answer");
	char *s = json_is_object(answer) ? json_dumps(answer, JSON_COMPACT) :
					   NULL;

	if (s != NULL)
		key_memory_done(m, e, s, strlen(s));
	else
		e->state = KEY_DONE;
	free(s);
}

static void
read_end(struct key_memory *m, const json_t *o)
{
	struct key_entry *e = key_memory_find(m, text(o, "key"));

	if (e == NULL)
		return;
	if (json_is_true(json_object_get(o, "typed")))
		read_answer(m, e, o);
	else
		key_memory_forget(m, e);
}

/* The record has all remembered keys: drop earlier ones. */
static void
read_all(struct key_memory *m, const json_t *o)
{
	const json_t *keys = json_object_get(o, "keys");
	const json_t *one;
	size_t i;

	key_memory_finish(m);
	json_array_foreach(keys, i, one)
	{
		struct key_entry *e = read_entry(m, one);

		if (e == NULL)
			continue;
		if (strcmp(text(one, "state"), states[KEY_DONE]) == 0)
			read_answer(m, e, one);
		else if (strcmp(text(one, "state"), states[KEY_LOST]) == 0)
			e->state = KEY_LOST;
	}
}

void
key_memory_read(struct key_memory *m, const struct record *rec)
{
	auto_json json_t *o = NULL;

	if (rec->type != RECORD_KEY && rec->type != RECORD_KEY_END &&
	    rec->type != RECORD_KEYS)
		return;
	o = json_tree_object((const char *)rec->payload, rec->len, NULL);
	if (o == NULL)
		return;
	if (rec->type == RECORD_KEY)
		(void)read_entry(m, o);
	else if (rec->type == RECORD_KEY_END)
		read_end(m, o);
	else
		read_all(m, o);
}

void
key_memory_lose(struct key_memory *m)
{
	list_for_each(it, &m->entries)
		if (entry_of(it)->state == KEY_OPEN)
			entry_of(it)->state = KEY_LOST;
}
