#include "op/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"
#include "base/mem.h"

/*
 * A search without a match in 80x24 takes some microseconds, one that gives up
 * some milliseconds.  Patterns are never compiled to machine code: a host must
 * not execute memory that it has written (sandbox.h).
 */
#define STEPS 150000
#define STEPS_PER_BYTE 4
#define MEMORY_KIB (8u << 10)
#define NESTING 50

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	uint32_t captures; /* captures with back references, or 0 */
};

/* The state of a search. */
struct search {
	const struct pattern *pattern;
	size_t left; /* steps */
	size_t at;   /* position of the last step */
};

static void
spend(struct search *s, size_t steps)
{
	s->left -= steps < s->left ? steps : s->left;
}

/* A back reference to a capture is compared byte by byte. */
static void
spend_on_captures(struct search *s, const pcre2_callout_block *b)
{
	const PCRE2_SIZE *v = b->offset_vector;

	for (uint32_t i = 1; i <= s->pattern->captures; i++)
		if (i < b->capture_top && v[2 * i] != PCRE2_UNSET &&
		    v[2 * i + 1] > v[2 * i])
			spend(s, (v[2 * i + 1] - v[2 * i]) / 4);
}

/* Called before each attempt to match an item of the pattern. */
static int
on_step(pcre2_callout_block *b, void *arg)
{
	struct search *s = arg;
	size_t at = b->current_position;

	spend(s, 1 + (at > s->at ? at - s->at : 0));
	if (s->pattern->captures > 0)
		spend_on_captures(s, b);
	s->at = at;
	return s->left > 0 ? 0 : PCRE2_ERROR_CALLOUT;
}

static pcre2_code *
compile(const char *text, size_t len, int *why, PCRE2_SIZE *where)
{
	pcre2_compile_context *ctx = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	if (ctx == NULL)
		return NULL;
	pcre2_set_parens_nest_limit(ctx, NESTING);
	code = pcre2_compile((PCRE2_SPTR)text, len,
	    PCRE2_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C |
		PCRE2_AUTO_CALLOUT,
	    why, where, ctx);
	pcre2_compile_context_free(ctx);
	return code;
}

struct pattern *
pattern_create(const char *text, size_t len, struct error *err)
{
	struct pattern *p;
	PCRE2_UCHAR words[160] = "";
	PCRE2_SIZE where = 0;
	pcre2_code *code;
	int why = 0;

	if (len == 0 || len > PATTERN_MAX) {
		error_set(err, EINVAL, "it must be 1 to %d bytes long",
		    PATTERN_MAX);
		return NULL;
	}
	code = compile(text, len, &why, &where);
	if (code == NULL) {
		pcre2_get_error_message(why, words, sizeof(words));
		error_set(err, EINVAL, "at character %zu: %s", (size_t)where,
		    (const char *)words);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->code = code;
	pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &p->captures);
	p->limits = pcre2_match_context_create(NULL);
	if (p->limits == NULL) {
		pattern_destroy(p);
		error_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	pcre2_set_heap_limit(p->limits, MEMORY_KIB);
	return p;
}

void
pattern_destroy(struct pattern *p)
{
	if (p == NULL)
		return;
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
	free(p);
}

static int
outcome(int rc, pcre2_match_data *found, size_t *from, size_t *to)
{
	const PCRE2_SIZE *v = pcre2_get_ovector_pointer(found);

	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc < 0)
		return -ELOOP;
	/* \K in an assertion may put the beginning after the end. */
	*from = v[0] < v[1] ? v[0] : v[1];
	*to = v[1];
	return 1;
}

int
pattern_next(const struct pattern *p, const char *text, size_t len,
    size_t *steps, size_t *from, size_t *to)
{
	size_t most = STEPS + STEPS_PER_BYTE * len;
	struct search search = {
		.pattern = p,
		.left = most > *steps ? most - *steps : 1,
		.at = *from,
	};
	pcre2_match_data *found = pcre2_match_data_create(1, NULL);
	int rc;

	if (found == NULL)
		return -ELOOP;
	pcre2_set_callout(p->limits, on_step, &search);
	rc = pcre2_match(p->code, (PCRE2_SPTR)text, len, *from,
	    *from > 0 ? PCRE2_NO_UTF_CHECK : 0, found, p->limits);
	rc = outcome(rc, found, from, to);
	*steps = most - search.left;
	pcre2_match_data_free(found);
	return rc;
}

int
pattern_find(const struct pattern *p, const char *text, size_t len,
    size_t *from, size_t *to)
{
	size_t steps = 0;

	*from = 0;
	return pattern_next(p, text, len, &steps, from, to);
}
