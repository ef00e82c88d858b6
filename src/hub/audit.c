#include "hub/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "hub/hub.h"
#include "hub/identity.h"
#include "hub/store.h"

#define MINUTE_MS 60000

enum {
	PRINCIPAL,
	VERIFIED,
	CREDENTIAL,
	FROM,
	WHAT,
	SESSION,
	NAME,
	MODE,
	TEXTS,
};

struct audit_entry {
	struct list link; /* of audit->open */
	struct audit *audit;
	char id[ID_SIZE];
	int64_t began_ms;
	char *texts[TEXTS];
	enum audit_outcome outcome;
};

/* A period of reads. */
struct period {
	char credential[IDENTITY_CREDENTIAL_SIZE];
	char principal[129];
	char session[ID_SIZE];
	int64_t last_ms;           /* CLOCK_REALTIME */
	struct audit_entry *entry; /* NULL: unused */
};

/* The denials of one credential or address. */
struct denials {
	char who[64];
	int64_t since_ms;
	unsigned n;
};

struct audit {
	struct hub *hub;
	struct list open;
	struct period *periods; /* AUDIT_READS */
	unsigned n_periods;     /* in use */
	struct watch *timer;
	struct denials denials[64];
	struct denials all;
};

static const char *const outcomes[AUDIT_OUTCOMES] = {
	[AUDIT_ALLOWED] = "allowed",
	[AUDIT_DOWNGRADED] = "downgraded",
	[AUDIT_DENIED] = "denied",
	[AUDIT_FAILED] = "failed",
	[AUDIT_REVOKED] = "revoked",
	[AUDIT_INTERRUPTED] = "interrupted",
};

/* ----------------------------------------------------------------- entries */

static void
on_stored(void *arg, int rc, json_t *result)
{
	struct hub *hub = arg;

	(void)result;
	if (rc < 0)
		hub_note(hub, HUB_AUDIT_LOST, "the audit lacks an entry",
		    strerror(-rc));
}

static void
store(const struct audit_entry *e, int64_t ended_ms)
{
	struct hub *hub = e->audit->hub;
	struct store_entry s = { .began_ms = e->began_ms,
		.ended_ms = ended_ms,
		.principal = e->texts[PRINCIPAL],
		.verified = e->texts[VERIFIED],
		.credential = e->texts[CREDENTIAL],
		.from = e->texts[FROM],
		.what = e->texts[WHAT],
		.session = e->texts[SESSION],
		.name = e->texts[NAME],
		.mode = e->texts[MODE],
		.outcome = outcomes[e->outcome] };

	memcpy(s.id, e->id, sizeof(e->id));
	store_audit(hub->store, &s, on_stored, hub);
}

static char *
copy(const char *s)
{
	return xstrdup(s != NULL ? s : "");
}

/* The owner on hub.sock has no principal; hosts record the uid as well. */
static char *
principal_of(const struct identity *who)
{
	char text[32];

	if (who == NULL || who->principal[0] != '\0' ||
	    who->verified[0] == '\0')
		return copy(who != NULL ? who->principal : NULL);
	snprintf(text, sizeof(text), "uid:%u", (unsigned)getuid());
	return xstrdup(text);
}

static struct audit_entry *
entry_create(struct audit *a, const struct audit_use *u,
    enum audit_outcome outcome)
{
	struct audit_entry *e = xcalloc(1, sizeof(*e));

	e->audit = a;
	e->began_ms = clock_ms(CLOCK_REALTIME);
	e->outcome = outcome;
	id_create(&a->hub->ids, e->id);
	e->texts[PRINCIPAL] = principal_of(u->who);
	e->texts[VERIFIED] = copy(u->who != NULL ? u->who->verified : NULL);
	e->texts[CREDENTIAL] = copy(u->who != NULL ? u->who->credential : NULL);
	e->texts[FROM] = copy(u->from);
	e->texts[WHAT] = copy(u->what);
	e->texts[SESSION] = copy(u->session);
	e->texts[NAME] = copy(u->name);
	e->texts[MODE] = copy(u->mode);
	list_append(&a->open, &e->link);
	return e;
}

static void
entry_destroy(struct audit_entry *e)
{
	list_remove(&e->link);
	for (size_t i = 0; i < TEXTS; i++)
		free(e->texts[i]);
	free(e);
}

struct audit_entry *
audit_begin(struct audit *a, const struct audit_use *u,
    enum audit_outcome outcome)
{
	struct audit_entry *e = entry_create(a, u, outcome);

	store(e, 0);
	return e;
}

void
audit_change(struct audit_entry *e, const char *mode,
    enum audit_outcome outcome)
{
	free(e->texts[MODE]);
	e->texts[MODE] = copy(mode);
	e->outcome = outcome;
	store(e, 0);
}

void
audit_about(struct audit_entry *e, const char *session, const char *name)
{
	if (e == NULL)
		return;
	free(e->texts[SESSION]);
	free(e->texts[NAME]);
	e->texts[SESSION] = copy(session);
	e->texts[NAME] = copy(name);
}

static void
end_at(struct audit_entry *e, int64_t ms, enum audit_outcome outcome)
{
	if (outcome != AUDIT_ALLOWED)
		e->outcome = outcome;
	store(e, ms);
	entry_destroy(e);
}

void
audit_end(struct audit_entry *e, enum audit_outcome outcome)
{
	if (e != NULL)
		end_at(e, clock_ms(CLOCK_REALTIME), outcome);
}

void
audit_note(struct audit *a, const struct audit_use *u,
    enum audit_outcome outcome)
{
	audit_end(entry_create(a, u, outcome), outcome);
}

/* ------------------------------------------------------------------- reads */

static void
end_period(struct audit *a, struct period *p)
{
	end_at(p->entry, p->last_ms, AUDIT_ALLOWED);
	p->entry = NULL;
	a->n_periods--;
}

/* End the periods without a read for long; look again while there are any. */
static void
on_timer(void *arg)
{
	struct audit *a = arg;
	int64_t now = clock_ms(CLOCK_REALTIME);

	for (size_t i = 0; i < AUDIT_READS; i++) {
		struct period *p = &a->periods[i];

		/* Also if the clock was set back. */
		if (p->entry != NULL &&
		    (now >= p->last_ms + AUDIT_READS_MS || now < p->last_ms))
			end_period(a, p);
	}
	if (a->n_periods > 0)
		watch_rearm(a->timer, AUDIT_READS_MS / 4);
}

static bool
is_period(const struct period *p, const struct audit_use *u,
    const char *session)
{
	return p->entry != NULL && strcmp(p->session, session) == 0 &&
	    strcmp(p->credential, u->who->credential) == 0 &&
	    strcmp(p->principal, u->who->principal) == 0 &&
	    strcmp(p->entry->texts[FROM], u->from) == 0;
}

/* The period of these reads, or the place for a new one. */
static struct period *
find_period(struct audit *a, const struct audit_use *u, const char *session)
{
	struct period *best = &a->periods[0];

	for (size_t i = 0; i < AUDIT_READS; i++) {
		struct period *p = &a->periods[i];

		if (is_period(p, u, session))
			return p;
		if (best->entry != NULL &&
		    (p->entry == NULL || p->last_ms < best->last_ms))
			best = p;
	}
	if (best->entry != NULL)
		end_period(a, best);
	return best;
}

void
audit_read(struct audit *a, const struct audit_use *u)
{
	const char *session = u->session != NULL ? u->session : "";
	struct audit_use use = *u;
	struct period *p = find_period(a, u, session);

	if (p->entry == NULL) {
		use.what = "read";
		use.mode = "observe";
		snprintf(p->credential, sizeof(p->credential), "%s",
		    u->who->credential);
		snprintf(p->principal, sizeof(p->principal), "%s",
		    u->who->principal);
		snprintf(p->session, sizeof(p->session), "%s", session);
		p->entry = audit_begin(a, &use, AUDIT_ALLOWED);
		if (a->n_periods++ == 0)
			watch_rearm(a->timer, AUDIT_READS_MS / 4);
	}
	p->last_ms = clock_ms(CLOCK_REALTIME);
}

/* ----------------------------------------------------------------- denials */

/* Count one more; false if there were too many in this minute. */
static bool
count(struct denials *d, unsigned most, int64_t now)
{
	if (d->n == 0 || now >= d->since_ms + MINUTE_MS) {
		d->since_ms = now;
		d->n = 0;
	}
	return d->n++ < most;
}

static bool
may_record(struct audit *a, const char *who)
{
	const size_t n = sizeof(a->denials) / sizeof(*a->denials);
	int64_t now = clock_ms(CLOCK_MONOTONIC);
	struct denials *d = &a->denials[0];

	for (size_t i = 0; i < n; i++) {
		if (strcmp(a->denials[i].who, who) == 0) {
			d = &a->denials[i];
			break;
		}
		if (a->denials[i].since_ms < d->since_ms)
			d = &a->denials[i];
	}
	if (strcmp(d->who, who) != 0) {
		snprintf(d->who, sizeof(d->who), "%s", who);
		d->n = 0;
	}
	return count(d, AUDIT_DENIALS, now) &&
	    count(&a->all, AUDIT_DENIALS_ALL, now);
}

void
audit_denied(struct audit *a, const struct audit_use *u)
{
	const char *who = u->who != NULL && u->who->credential[0] != '\0' ?
	    u->who->credential :
	    u->from;

	if (may_record(a, who))
		audit_note(a, u, AUDIT_DENIED);
	else
		hub_note(a->hub, HUB_DENIALS,
		    "many denials; the audit has only the first ones", who);
}

/* ------------------------------------------------------------ begin and end */

struct audit *
audit_create(struct hub *hub)
{
	struct audit *a = xcalloc(1, sizeof(*a));

	a->hub = hub;
	list_init(&a->open);
	a->periods = xcalloc(AUDIT_READS, sizeof(*a->periods));
	a->timer = loop_timer(hub->loop, -1, on_timer, a);
	return a;
}

void
audit_destroy(struct audit *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < AUDIT_READS; i++) {
		if (a->periods[i].entry != NULL)
			end_period(a, &a->periods[i]);
	}
	while (!list_is_empty(&a->open))
		audit_end(container_of(a->open.next, struct audit_entry, link),
		    AUDIT_INTERRUPTED);
	watch_remove(a->timer);
	free(a->periods);
	free(a);
}
