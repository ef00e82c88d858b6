#ifndef TEND_HUB_IDENTITY_H
#define TEND_HUB_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The verified author of a request: a peer on hub.sock, or the owner of a
 * token, a cookie with its key, or a share link.  It says who it is; the policy
 * says what it may do (access.h).  It never has a secret.
 */
#define IDENTITY_CREDENTIAL_SIZE 32
#define IDENTITY_TARGETS_SIZE 256

struct identity {
	/*
	 * KIND:NAME for hosts and logs; "": the owner on hub.sock, whose uid
	 * the host records itself.
	 */
	char principal[129];
	char verified[33]; /* "peer", "token", "cookie", "share", "proxy" */
	char credential[IDENTITY_CREDENTIAL_SIZE]; /* its id; "" for a peer */
	bool owner;     /* has all of `scope`, whatever the policy says */
	unsigned scope; /* 1 << OP_…: no permission beyond these */
	/* A glob of session names, or "id:ULID" for a share; "": all. */
	char targets[IDENTITY_TARGETS_SIZE];
	int64_t until_ms; /* CLOCK_REALTIME; 0: no end */
};

#endif
