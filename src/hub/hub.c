#include "hub/hub.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "hub/log_file.h"

#define NOTE_MS 10000

struct later {
	struct list link;
	void (*fn)(void *arg);
	void *arg;
};

void
hub_later(struct hub *hub, void (*fn)(void *arg), void *arg)
{
	struct later *l = xcalloc(1, sizeof(*l));

	l->fn = fn;
	l->arg = arg;
	list_append(&hub->later, &l->link);
}

void
hub_call_later(struct hub *hub)
{
	while (!list_is_empty(&hub->later)) {
		struct later *l = container_of(hub->later.next, struct later,
		    link);

		list_remove(&l->link);
		l->fn(l->arg);
		free(l);
	}
}

void
hub_note(struct hub *hub, enum hub_cause cause, const char *what,
    const char *detail)
{
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	if (hub->noted_ms[cause] != 0 && now - hub->noted_ms[cause] < NOTE_MS) {
		hub->unnoted[cause]++;
		return;
	}
	log_write(&hub->log, LOG_WARN, what, log_str("detail", detail),
	    log_int("not_logged", (int64_t)hub->unnoted[cause]));
	if (!hub->options->foreground)
		log_file_limit(&hub->log, &hub->home);
	hub->noted_ms[cause] = now;
	hub->unnoted[cause] = 0;
}

void
hub_on_reconsider(struct hub *hub, struct hub_hook *hook)
{
	list_append(&hub->reconsider, &hook->link);
}

void
hub_reconsider(struct hub *hub)
{
	struct list todo;

	/* A hook may remove any other, and add new ones. */
	list_init(&todo);
	while (!list_is_empty(&hub->reconsider)) {
		struct list *it = hub->reconsider.next;

		list_remove(it);
		list_append(&todo, it);
	}
	while (!list_is_empty(&todo)) {
		struct hub_hook *hook = container_of(todo.next, struct hub_hook,
		    link);

		list_remove(&hook->link);
		list_append(&hub->reconsider, &hook->link);
		hook->fn(hook->arg);
	}
}

void
hub_count_request(struct hub *hub, const char *label, int status)
{
	request_counts_add(&hub->requests, label, status);
}
