/*
 * Speed and memory of terminal engines: tend beside Debian's libvterm and
 * libtsm, in one process, on one core, in turns, so that other load on the
 * machine slows all of them alike.  The clock is the process's own time.
 *
 *	bench_vt		the table; exit status 1 when a gate is missed
 *	bench_vt --raw		lines of `name value unit` instead
 *	bench_vt --quick	small inputs, one round, no gates: does it run
 *	bench_vt --corpus NAME	the speed of this one only
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vt/vt.h"

#include "corpus.h"
#include "engine.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FEED (64 << 10)
#define ROUNDS_MAX 5
#define SCROLLBACK 10000 /* the lines of the gated cases */

static const struct engine *const engines[] = {
	&engine_tend,
	&engine_libvterm,
	&engine_libtsm,
};
enum { TEND, ENGINES = COUNT(engines) };

static const struct size {
	unsigned cols, rows;
} sizes[] = { { 80, 24 }, { 200, 60 } };

/* The goals for tend: a factor over the faster peer, and MB/s. */
static const struct {
	double ratio;
	double aim;
} goals[CORPUS_KINDS] = {
	[CORPUS_PLAIN] = { 5, 500 },
	[CORPUS_SGR] = { 3, 150 },
	[CORPUS_UTF8] = { 3, 150 },
	[CORPUS_TUI] = { 5, 250 },
};

/* Memory limits of an 80x24 terminal. */
#define FRESH_MAX (64 << 10)
#define SCROLLBACK_MAX (256 << 10)

struct bench {
	bool raw;
	bool gates;
	const char *only; /* a corpus, or NULL for all and the memory */
	unsigned rounds;
	size_t tend_len; /* the peers get a smaller beginning of the same */
	size_t peer_len;
	int missed;
};

struct rates {
	double mbps[ROUNDS_MAX];
	unsigned n;
};

/* Text that is on the screen only after the engine took in everything. */
#define MARKER "end-of-the-corpus"
static const char epilogue[] = "\033[?1049l\033[r\033[0m\r\n\r\n" MARKER "\r\n";

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
give_up(const struct engine *e, const char *what)
{
	fprintf(stderr, "bench_vt: %s %s\n", e->name, what);
	exit(2);
}

static void
feed_all(const struct engine *e, void *self, const char *p, size_t len)
{
	size_t n;

	for (; len > 0; p += n, len -= n) {
		n = len < FEED ? len : FEED;
		if (e->feed(self, p, n) != n)
			give_up(e, "did not take in all bytes");
	}
}

static void
feed_corpus(const struct engine *e, void *self, const struct corpus *c,
    size_t len)
{
	feed_all(e, self, c->data, len);
	feed_all(e, self, epilogue, sizeof(epilogue) - 1);
	if (!e->shows(self, MARKER))
		give_up(e, "does not show the last line it was fed");
}

static void *
create(const struct engine *e, const struct size *size, unsigned lines)
{
	void *self = e->create(size->cols, size->rows, lines);

	if (self == NULL)
		give_up(e, "could not be made");
	return self;
}

static double
measure(const struct engine *e, const struct corpus *c, size_t len,
    const struct size *size, unsigned lines)
{
	void *self = create(e, size, lines);
	double start = now_s(), seconds;

	feed_corpus(e, self, c, len);
	seconds = now_s() - start;
	e->destroy(self);
	return (double)len / 1e6 / (seconds > 0 ? seconds : 1e-9);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values; min and max are then the ends. */
static double
median(struct rates *r)
{
	qsort(r->mbps, r->n, sizeof(r->mbps[0]), by_value);
	return r->mbps[r->n / 2];
}

static void
print_rate(struct rates *r)
{
	double m = median(r);
	char spread[32];

	snprintf(spread, sizeof(spread), "(%.0f-%.0f)", r->mbps[0],
	    r->mbps[r->n - 1]);
	printf(" %6.0f %-12s", m, spread);
}

static void
print_raw_rates(enum corpus_kind kind, const struct size *size, unsigned lines,
    struct rates rates[ENGINES])
{
	for (size_t i = 0; i < ENGINES; i++)
		printf("vt.%s.%ux%u.sb%u.%s %.1f MB/s\n", corpus_name(kind),
		    size->cols, size->rows, lines, engines[i]->name,
		    median(&rates[i]));
}

static void
report_case(struct bench *b, enum corpus_kind kind, const struct size *size,
    unsigned lines, struct rates rates[ENGINES])
{
	bool gated = b->gates && lines == SCROLLBACK;
	double best = 0, ratio, own = median(&rates[TEND]);
	bool short_of;

	for (size_t i = TEND + 1; i < ENGINES; i++)
		best = median(&rates[i]) > best ? median(&rates[i]) : best;
	ratio = own / best;
	short_of = ratio < goals[kind].ratio;
	if (gated && short_of)
		b->missed++;
	if (b->raw) {
		print_raw_rates(kind, size, lines, rates);
		printf("vt.%s.%ux%u.sb%u.ratio %.2f x\n", corpus_name(kind),
		    size->cols, size->rows, lines, ratio);
		return;
	}
	printf("%-6s %3ux%-3u %6u", corpus_name(kind), size->cols, size->rows,
	    lines);
	for (size_t i = 0; i < ENGINES; i++)
		print_rate(&rates[i]);
	printf(" %5.1fx >= %.0fx %-5s aim %3.0f %s\n", ratio, goals[kind].ratio,
	    short_of ? (gated ? "SHORT" : "short") : "ok", goals[kind].aim,
	    own >= goals[kind].aim ? "reached" : "missed");
	fflush(stdout);
}

static void
run_case(struct bench *b, enum corpus_kind kind, const struct corpus *c,
    const struct size *size, unsigned lines)
{
	struct rates rates[ENGINES] = { 0 };

	for (unsigned round = 0; round < b->rounds; round++) {
		for (size_t i = 0; i < ENGINES; i++) {
			struct rates *r = &rates[i];

			r->mbps[r->n++] = measure(engines[i], c,
			    i == TEND ? c->len : c->cut, size, lines);
		}
	}
	report_case(b, kind, size, lines, rates);
}

static void
run_speed(struct bench *b)
{
	struct corpus c;

	if (!b->raw)
		printf("%-6s %7s %6s %6s %-12s %6s %-12s %6s %-12s %6s\n",
		    "corpus", "size", "lines", "tend", "MB/s", "vterm", "",
		    "tsm", "", "ratio");
	for (unsigned kind = 0; kind < CORPUS_KINDS; kind++) {
		if (b->only != NULL && strcmp(b->only, corpus_name(kind)) != 0)
			continue;
		for (size_t s = 0; s < COUNT(sizes); s++) {
			corpus_make(&c, kind, sizes[s].cols, sizes[s].rows,
			    kind + 1, b->tend_len, b->peer_len);
			run_case(b, kind, &c, &sizes[s], 0);
			run_case(b, kind, &c, &sizes[s], SCROLLBACK);
			corpus_finish(&c);
		}
	}
}

/* Bytes that malloc(3) has handed out, large blocks of their own included. */
static size_t
heap_in_use(void)
{
	struct mallinfo2 mi = mallinfo2();

	return mi.uordblks + mi.hblkhd;
}

struct memory {
	size_t idle;
	size_t fed;
};

static struct memory
measure_memory(const struct engine *e, const struct corpus *c,
    const struct size *size, unsigned lines)
{
	struct memory m;
	size_t before = heap_in_use();
	void *self = create(e, size, lines);

	m.idle = heap_in_use() - before;
	feed_corpus(e, self, c, c->cut);
	m.fed = heap_in_use() - before;
	e->destroy(self);
	return m;
}

static void
report_memory(const struct bench *b, const struct engine *e,
    const struct size *size, unsigned lines, const struct memory *m)
{
	if (b->raw) {
		printf("memory.%ux%u.sb%u.%s.idle %zu B\n", size->cols,
		    size->rows, lines, e->name, m->idle);
		printf("memory.%ux%u.sb%u.%s.fed %zu B\n", size->cols,
		    size->rows, lines, e->name, m->fed);
		return;
	}
	printf("%-9s %3ux%-3u %6u %9.1f %9.1f\n", e->name, size->cols,
	    size->rows, lines, (double)m->idle / 1024, (double)m->fed / 1024);
}

static void
check_limit(struct bench *b, const char *what, size_t bytes, size_t limit)
{
	bool over = bytes > limit;

	if (!b->raw)
		printf("%-52s %8.1f KiB, at most %3zu KiB  %s\n", what,
		    (double)bytes / 1024, limit / 1024, over ? "OVER" : "ok");
	if (b->gates && over)
		b->missed++;
}

static void
check_memory(struct bench *b, const struct corpus *c)
{
	struct memory none = measure_memory(&engine_tend, c, &sizes[0], 0);
	struct memory some = measure_memory(&engine_tend, c, &sizes[0],
	    VT_HISTORY_LINES);

	check_limit(b, "tend 80x24, fresh, no scrollback", none.idle,
	    FRESH_MAX);
	check_limit(b, "its default scrollback, filled, over that",
	    some.fed - none.idle, SCROLLBACK_MAX);
}

static void
run_memory(struct bench *b)
{
	static const unsigned lines[] = { 0, VT_HISTORY_LINES, SCROLLBACK };
	struct corpus c;
	struct memory m;

	corpus_make(&c, CORPUS_SGR, 80, 24, 1, b->peer_len, b->peer_len);
	if (!b->raw)
		printf("\n%-9s %7s %6s %9s %9s  KiB of memory\n", "engine",
		    "size", "lines", "idle", "fed sgr");
	for (size_t s = 0; s < COUNT(sizes); s++) {
		for (size_t l = 0; l < COUNT(lines); l++) {
			for (size_t i = 0; i < ENGINES; i++) {
				m = measure_memory(engines[i], &c, &sizes[s],
				    lines[l]);
				report_memory(b, engines[i], &sizes[s],
				    lines[l], &m);
			}
		}
	}
	check_memory(b, &c);
	corpus_finish(&c);
}

/* Stay on the present core, so that the engines share its cache alike. */
static void
stay_on_one_core(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		fprintf(stderr, "bench_vt: cannot stay on one core: %s\n",
		    strerror(errno));
}

static int
parse_options(struct bench *b, int argc, char **argv)
{
	static const struct option options[] = {
		{ "raw", no_argument, NULL, 'r' },
		{ "quick", no_argument, NULL, 'q' },
		{ "corpus", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'r':
			b->raw = true;
			break;
		case 'q':
			b->gates = false;
			b->rounds = 1;
			b->tend_len = 512 << 10;
			b->peer_len = 64 << 10;
			break;
		case 'c':
			b->only = optarg;
			break;
		default:
			fprintf(stderr,
			    "usage: bench_vt [--raw] [--quick] "
			    "[--corpus plain|sgr|utf8|tui]\n");
			return -EINVAL;
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct bench b = {
		.gates = true,
		.rounds = ROUNDS_MAX,
		.tend_len = 32 << 20,
		.peer_len = 8 << 20,
	};

	if (parse_options(&b, argc, argv) < 0)
		return 2;
	stay_on_one_core();
	run_speed(&b);
	if (b.only == NULL)
		run_memory(&b);
	if (b.missed > 0)
		fprintf(stderr, "bench_vt: %d gates missed\n", b.missed);
	return b.missed > 0 ? 1 : 0;
}
