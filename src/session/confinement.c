#include "session/confinement.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

#define SESSION "session="
#define HOME "home="
#define BY "by="
#define CONFINED "confined"
#define MAY "may="
#define WORD_SIZE (GRANT_TEXT_SIZE + sizeof(MAY))

static bool
add_creator(struct confinement *c, const char *id)
{
	if (!id_is_valid(id) || c->n_creators == CONFINEMENT_CREATORS_MAX)
		return false;
	memcpy(c->creators[c->n_creators++], id, ID_SIZE);
	return true;
}

static bool
add_grant(struct confinement *c, const char *text)
{
	if (c->n_grants == GRANTS_MAX ||
	    grant_parse(text, &c->grants[c->n_grants], NULL) < 0)
		return false;
	c->n_grants++;
	return true;
}

void
confinement_of(struct confinement *c, const struct manifest *m,
    uint64_t home_dev, uint64_t home_ino)
{
	memset(c, 0, sizeof(*c)); /* a literal would be copied on the stack */
	c->home_dev = home_dev;
	c->home_ino = home_ino;
	c->confined = m->confined;
	memcpy(c->id, m->id, sizeof(c->id));
	for (char **id = m->created_by; id != NULL && *id != NULL; id++)
		add_creator(c, *id);
	for (char **may = m->may; may != NULL && *may != NULL; may++)
		add_grant(c, *may);
}

struct confinement *
confinement_shrink(struct confinement *c)
{
	return xrealloc(c,
	    offsetof(struct confinement, grants) +
		c->n_grants * sizeof(c->grants[0]),
	    1);
}

/* ---------------------------------------------------------------- words */

/* The block that confinement_words returns: pointers, then their strings. */
struct words {
	char *list[CONFINEMENT_WORDS_MAX + 1];
	char text[CONFINEMENT_WORDS_MAX][WORD_SIZE];
};

static char *
next_word(struct words *w, size_t *n)
{
	w->list[*n] = w->text[*n];
	return w->text[(*n)++];
}

char **
confinement_words(const struct confinement *c)
{
	struct words *w = xcalloc(1, sizeof(*w));
	char grant[GRANT_TEXT_SIZE];
	size_t n = 0;

	snprintf(next_word(w, &n), WORD_SIZE, SESSION "%s", c->id);
	snprintf(next_word(w, &n), WORD_SIZE, HOME "%" PRIu64 ":%" PRIu64,
	    c->home_dev, c->home_ino);
	for (size_t i = 0; i < c->n_creators; i++)
		snprintf(next_word(w, &n), WORD_SIZE, BY "%s", c->creators[i]);
	if (c->confined)
		snprintf(next_word(w, &n), WORD_SIZE, CONFINED);
	for (size_t i = 0; i < c->n_grants; i++) {
		grant_format(&c->grants[i], grant);
		snprintf(next_word(w, &n), WORD_SIZE, MAY "%s", grant);
	}
	return w->list;
}

static bool
read_home(struct confinement *c, const char *text)
{
	return number_take(&text, UINT64_MAX, &c->home_dev) && *text++ == ':' &&
	    number_take(&text, UINT64_MAX, &c->home_ino) && *text == '\0';
}

static bool
read_id(struct confinement *c, const char *text)
{
	if (!id_is_valid(text))
		return false;
	memcpy(c->id, text, ID_SIZE);
	return true;
}

static bool
read_confined(struct confinement *c, const char *text)
{
	c->confined = true;
	return *text == '\0';
}

static const struct {
	const char *begins;
	bool (*read)(struct confinement *c, const char *text);
} words[] = {
	{ SESSION, read_id },
	{ HOME, read_home },
	{ BY, add_creator },
	{ CONFINED, read_confined },
	{ MAY, add_grant },
};

/*
 * A word with none of these prefixes is the keeper's own or from a newer tend.
 */
static bool
read_word(struct confinement *c, const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].begins);

		if (strncmp(word, words[i].begins, len) == 0)
			return words[i].read(c, word + len);
	}
	return true;
}

void
confinement_read(struct confinement *c, const char *p, size_t len)
{
	const char *end, *nul;
	bool sound = true;

	memset(c, 0, sizeof(*c));
	p = len > 0 ? p : "";
	end = p + len;
	for (; (nul = memchr(p, '\0', (size_t)(end - p))) != NULL;
	     p = nul + 1) {
		if (strcmp(p, "--") == 0)
			break;
		sound &= read_word(c, p);
	}
	if (sound && nul != NULL)
		return;
	c->confined = true;
	c->n_grants = 0;
}

/* --------------------------------------------------------------- allowing */

static bool
has_created(const struct confinement *c, const struct confinement *target)
{
	if (c->id[0] == '\0')
		return false;
	for (size_t i = 0; i < target->n_creators; i++)
		if (strcmp(target->creators[i], c->id) == 0)
			return true;
	return false;
}

bool
confinement_is_one_home(const struct confinement *a,
    const struct confinement *b)
{
	return a->home_ino != 0 && a->home_ino == b->home_ino &&
	    a->home_dev == b->home_dev;
}

bool
confinement_allows(const struct confinement *c,
    const struct confinement *target, const char *name,
    enum op_permission permission)
{
	if (!c->confined)
		return true;
	if (!op_permission_is_confined(permission))
		return false;
	if (has_created(c, target))
		return true;
	for (size_t i = 0;
	     confinement_is_one_home(c, target) && i < c->n_grants; i++)
		if (grant_allows(&c->grants[i], permission, name))
			return true;
	return false;
}

bool
confinement_covers(const struct confinement *c, const struct confinement *made,
    const struct grant *g)
{
	for (size_t i = 0; confinement_is_one_home(c, made) && i < c->n_grants;
	     i++)
		if (grant_covers(&c->grants[i], g))
			return true;
	return !c->confined;
}
