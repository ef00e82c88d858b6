#ifndef TEND_HUB_THROTTLE_H
#define TEND_HUB_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Limits failed proofs of identity: THROTTLE_PEER in a minute from one address,
 * and THROTTLE_ALL from all.  Beyond that, further tries are refused without a
 * look at them, unless the secret was valid before (verifier_knows): somebody
 * who guesses must not lock out the others.  Clients on hub.sock prove nothing.  If there are more than THROTTLE_PEERS addresses, the one whose
 * last failure is oldest is forgotten.  Pure: the caller says what time it is.
 */
#define THROTTLE_PEER 10
#define THROTTLE_ALL 100
#define THROTTLE_PEERS 256
#define THROTTLE_MS 60000

struct throttle {
	struct {
		char peer[64];
		int64_t since_ms; /* the beginning of its minute */
		int64_t last_ms;
		unsigned failures;
	} peers[THROTTLE_PEERS];
	int64_t since_ms;
	unsigned failures;
};

/* The time in ms until the peer may try again; 0: now. */
int64_t throttle_wait(const struct throttle *t, const char *peer,
    int64_t now_ms);

void throttle_failed(struct throttle *t, const char *peer, int64_t now_ms);

#endif
