#ifndef TEND_SESSION_STATUS_H
#define TEND_SESSION_STATUS_H

#include <stdbool.h>

struct error;

/* The statuses, outcomes and policies of a session, and their names. */
enum status {
	STATUS_STARTING,
	STATUS_RUNNING,
	STATUS_EXITING,
	STATUS_EXITED,
	STATUS_FAILED,
	STATUS_DESTROYING,
	STATUS_DESTROYED,
};
enum outcome {
	OUTCOME_NONE,
	OUTCOME_EXITED,
	OUTCOME_STOPPED,
	OUTCOME_KILLED,
	OUTCOME_FAILED,
	OUTCOME_LOST,
};
enum input_policy { INPUT_POLICY_SHARED, INPUT_POLICY_LEASE };
enum size_policy { SIZE_SMALLEST, SIZE_LATEST, SIZE_LARGEST, SIZE_FIXED };
enum restart_policy { RESTART_NEVER, RESTART_ON_FAILURE, RESTART_ALWAYS };
enum log_input { LOG_INPUT_ALL, LOG_INPUT_LENGTHS, LOG_INPUT_NONE };

/* K-04: the truth table of statuses. */
bool status_is_active(enum status s);
bool status_is_terminal(enum status s);
bool status_has_live_host(enum status s); /* or the log is replayed */
bool status_is_collectable(enum status s);

const char *status_name(enum status s);
const char *outcome_name(enum outcome o); /* NULL for NONE */
/*
 * The same for policies.  parse fails with -EINVAL and lists the valid names.
 */
const char *input_policy_name(enum input_policy p);
const char *size_policy_name(enum size_policy p);
const char *log_input_name(enum log_input l);
const char *restart_policy_name(enum restart_policy p);
int input_policy_parse(const char *s, enum input_policy *out,
    struct error *err);
int size_policy_parse(const char *s, enum size_policy *out, struct error *err);
int log_input_parse(const char *s, enum log_input *out, struct error *err);
int restart_policy_parse(const char *s, enum restart_policy *out,
    struct error *err);

/* The names by number, for tables of fields (base/json_field.h). */
enum {
	STATUS_COUNT = STATUS_DESTROYED + 1,
	OUTCOME_COUNT = OUTCOME_LOST + 1,
	INPUT_POLICY_COUNT = INPUT_POLICY_LEASE + 1,
	SIZE_COUNT = SIZE_FIXED + 1,
	LOG_INPUT_COUNT = LOG_INPUT_NONE + 1,
	RESTART_COUNT = RESTART_ALWAYS + 1,
};

extern const char *const status_names[STATUS_COUNT];
extern const char *const outcome_names[OUTCOME_COUNT];
extern const char *const input_policy_names[INPUT_POLICY_COUNT];
extern const char *const size_policy_names[SIZE_COUNT];
extern const char *const log_input_names[LOG_INPUT_COUNT];
extern const char *const restart_policy_names[RESTART_COUNT];

#endif
