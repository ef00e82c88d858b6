#ifndef TEND_SESSION_NAMES_H
#define TEND_SESSION_NAMES_H

#include "session/manifest.h"

/*
 * Inside session/ only: how the enums of manifest.h are spelled, and labels as
 * the member "labels" of an object.
 */
struct json_out;

void labels_write(const struct manifest *m, struct json_out *j);

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
