#include "hub/metrics.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/version.h"
#include "home/calls.h"
#include "hub/directory.h"
#include "hub/exchange.h"
#include "hub/hub.h"
#include "hub/listener.h"
#include "hub/request_counts.h"
#include "session/status.h"

#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define MAX (1u << 20)

static const char *const types[] = {
	[METRICS_GAUGE] = "gauge",
	[METRICS_COUNTER] = "counter",
	[METRICS_INFO] = "info",
};

static const char *const suffixes[] = {
	[METRICS_GAUGE] = "",
	[METRICS_COUNTER] = "_total",
	[METRICS_INFO] = "_info",
};

/* The value of a label, or a help text. */
static void
put_escaped(struct buf *out, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\n')
			(void)buf_puts(out, "\\n");
		else if (*s == '"' || *s == '\\')
			(void)buf_printf(out, "\\%c", *s);
		else
			(void)buf_putc(out, *s);
	}
}

void
metrics_put_family(struct buf *out, enum metrics_type type, const char *name,
    const char *unit, const char *help)
{
	(void)buf_printf(out, "# TYPE %s %s\n", name, types[type]);
	if (unit != NULL)
		(void)buf_printf(out, "# UNIT %s %s\n", name, unit);
	(void)buf_printf(out, "# HELP %s ", name);
	put_escaped(out, help);
	(void)buf_putc(out, '\n');
}

/* Whole numbers up to 2^53 are exact. */
void
metrics_put_sample(struct buf *out, enum metrics_type type, const char *name,
    const char *label, const char *label_value, double value)
{
	(void)buf_printf(out, "%s%s", name, suffixes[type]);
	if (label != NULL) {
		(void)buf_printf(out, "{%s=\"", label);
		put_escaped(out, label_value);
		(void)buf_puts(out, "\"}");
	}
	(void)buf_printf(out, " %.17g\n", value);
}

static void
put_one(struct buf *out, enum metrics_type type, const char *name,
    const char *unit, const char *help, double value)
{
	metrics_put_family(out, type, name, unit, help);
	metrics_put_sample(out, type, name, NULL, NULL, value);
}

/* ------------------------------------------------------------------ values */

static double
resident_bytes(void)
{
	auto_close int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long long size = 0, resident = 0;
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text, "%llu %llu", &size, &resident) != 2)
		return 0;
	return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static double
cpu_seconds(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
put_requests(struct buf *out, const struct request_counts *c)
{
	static const char name[] = "tend_hub_requests";

	metrics_put_family(out, METRICS_COUNTER, name, NULL,
	    "Answers by route and class of status.");
	for (size_t i = 0; i < c->n_rows; i++) {
		for (int k = 0; k < REQUEST_COUNTS_CLASSES; k++) {
			if (c->rows[i].n[k] == 0)
				continue;
			(void)buf_printf(out,
			    "%s_total{route=\"%s\",status=\"%dxx\"} %llu\n",
			    name, c->rows[i].route, k + 1,
			    (unsigned long long)c->rows[i].n[k]);
		}
	}
}

static void
put_sessions(struct buf *out, const struct directory *d)
{
	static const char name[] = "tend_hub_sessions";
	size_t n[STATUS_COUNT] = { 0 };

	for (size_t i = 0; i < directory_count(d); i++)
		n[directory_at(d, i)->status]++;
	metrics_put_family(out, METRICS_GAUGE, name, NULL,
	    "Sessions of the home by status.");
	for (size_t i = 0; i < STATUS_COUNT; i++)
		metrics_put_sample(out, METRICS_GAUGE, name, "status",
		    status_names[i], (double)n[i]);
}

static void
put_hub(struct buf *out, const struct hub *hub)
{
	metrics_put_family(out, METRICS_INFO, "tend_hub_build", NULL,
	    "The version of the hub.");
	metrics_put_sample(out, METRICS_INFO, "tend_hub_build", "version",
	    TEND_VERSION, 1);
	put_one(out, METRICS_GAUGE, "tend_hub_ready", NULL,
	    "1: the sessions of the home are known.", hub->ready);
	put_requests(out, &hub->requests);
	put_sessions(out, hub->directory);
	put_one(out, METRICS_COUNTER, "tend_hub_home_events", NULL,
	    "Changes of sessions.", (double)directory_last(hub->directory));
	put_one(out, METRICS_GAUGE, "tend_hub_connections", NULL,
	    "Connections of clients.", (double)listener_count(hub->listener));
	put_one(out, METRICS_GAUGE, "tend_hub_event_streams", NULL,
	    "Clients of server-sent events.", (double)hub->n_event_streams);
	put_one(out, METRICS_GAUGE, "tend_hub_calls", NULL,
	    "Operations under way.", (double)calls_count(hub->calls));
	put_one(out, METRICS_COUNTER, "tend_hub_sent_bytes", "bytes",
	    "Bytes sent to clients.", (double)hub->bytes_out);
	put_one(out, METRICS_COUNTER, "tend_hub_auth_failures", NULL,
	    "Wrong or ended credentials.", (double)hub->auth_failures);
	put_one(out, METRICS_COUNTER, "tend_hub_loop_turns", NULL,
	    "Turns of the event loop.", (double)hub->turns);
}

static void
put_process(struct buf *out, const struct hub *hub)
{
	put_one(out, METRICS_GAUGE, "process_resident_memory_bytes", "bytes",
	    "Memory of the hub.", resident_bytes());
	put_one(out, METRICS_COUNTER, "process_cpu_seconds", "seconds",
	    "Processor time of the hub.", cpu_seconds());
	put_one(out, METRICS_GAUGE, "process_start_time_seconds", "seconds",
	    "The start of the hub, in seconds since 1970.",
	    (double)hub->started_ms / 1e3);
}

void
metrics_run(struct exchange *x)
{
	const struct hub *hub = exchange_hub(x);
	struct buf b;

	buf_init(&b, MAX);
	put_hub(&b, hub);
	put_process(&b, hub);
	(void)buf_puts(&b, "# EOF\n");
	exchange_text(x, 200, TYPE, b.data, b.len);
	buf_finish(&b);
}
