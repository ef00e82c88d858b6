#include "home/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/mem.h"
#include "home/handle.h"
#include "log/by.h"
#include "log/payload.h"
#include "log/reader.h"

static char *
copy(const struct payload_text *t)
{
	char *text = xcalloc(t->len + 1, 1);

	if (t->len > 0)
		memcpy(text, t->p, t->len);
	return text;
}

static void
take(const struct record *rec, marks_fn *fn, void *arg)
{
	auto_free char *by = NULL, *name = NULL;
	struct payload_mark p;

	if (!payload_mark_of(&p, rec))
		return;
	by = copy(&p.by);
	name = copy(&p.name);
	fn(arg, &(struct mark){ rec->seq, rec->time_ns, by, name });
}

int
marks_each(struct handle *h, marks_fn *fn, void *arg, struct fault *f)
{
	struct log_reader *r;
	struct record rec;

	if (handle_open_log(h, &r, f) < 0)
		return -1;
	log_reader_seek(r, LOG_BY_SEQ, 0);
	while (log_reader_next_there(r, &rec))
		take(&rec, fn, arg);
	log_reader_close(r);
	return 0;
}

static void
put_mark(void *arg, const struct mark *m)
{
	struct json_out *j = arg;

	json_out_open(j, '{');
	json_put_number(j, "seq", m->seq);
	json_put_number(j, "time_ns", m->time_ns);
	by_put(m->by, strlen(m->by), j);
	json_put_text(j, "name", m->name);
	json_out_close(j, '}');
}

int
marks_json(struct handle *h, struct json_out *j, struct fault *f)
{
	int rc;

	json_out_open(j, '[');
	rc = marks_each(h, put_mark, j, f);
	json_out_close(j, ']');
	return rc;
}
