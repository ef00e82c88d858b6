#ifndef TEND_HUB_METRICS_H
#define TEND_HUB_METRICS_H

struct buf;
struct exchange;

/*
 * GET /metrics: the hub in numbers, as OpenMetrics text.  Labels come from our
 * own tables: no name of a session, client or principal is one, so the number
 * of series is bounded and the text tells nothing about them.
 */
void metrics_run(struct exchange *x);

/*
 * The encoder.  A family comes before its samples; the name of a counter has no
 * _total, which its samples get.  unit: NULL if it has none; otherwise the
 * name ends with it.  A value has no label if `label` is NULL.
 */
enum metrics_type { METRICS_GAUGE, METRICS_COUNTER, METRICS_INFO };

void metrics_put_family(struct buf *out, enum metrics_type type,
    const char *name, const char *unit, const char *help);
void metrics_put_sample(struct buf *out, enum metrics_type type,
    const char *name, const char *label, const char *label_value, double value);

#endif
