#ifndef TEND_HOST_SERVE_SIZE_H
#define TEND_HOST_SERVE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/manifest.h"

/*
 * What size the terminal should have, given what its viewers would like
 * (B-48, O-20).  Only those vote who may type, can be seen, said a size and
 * have drawn their first picture: who that is, the caller knows.  Pure.
 */
struct size_vote {
	unsigned cols, rows;
	uint64_t at; /* of two votes, the later one has the greater */
};

/*
 * False when the size should stay as it is: nobody votes, or it is fixed.
 * What is given is always a size that a screen can have.
 */
bool size_decide(enum size_policy policy, const struct size_vote *votes,
    size_t n, unsigned *cols, unsigned *rows);

#endif
