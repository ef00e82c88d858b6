#ifndef TEND_HOST_INPUT_SECRECY_H
#define TEND_HOST_INPUT_SECRECY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/*
 * Decides from the screen whether input is secret: from the first key at a
 * prompt for a secret (op/secret.h) to Enter.  This recognises prompts behind
 * ssh, tmux, script and another tend, whose terminals this host cannot query
 * (tty_is_secret covers the host's own terminal).
 *
 * The prompt must come from a program.  A line that a person types, or returns
 * to in an editor, may look the same.  So the cursor must not be on a
 * character, and its row must have changed since the last key.  Unless that
 * key was Enter, the row must not have held such a prompt before it, and the
 * prompt must not be typed text.
 *
 * A home may add patterns in the file SECRECY_FILE: one regular expression
 * (op/pattern.h) a line; # begins a comment.  A host reads SECRECY_PATTERNS of
 * them when it starts, and names invalid lines in host.log.
 */
#define SECRECY_FILE "secret-prompts"
#define SECRECY_PATTERNS 64

struct secrecy;

struct secrecy *secrecy_create(const struct session *session);
void secrecy_destroy(struct secrecy *s); /* NULL is fine */

/*
 * These bytes are about to be typed.  True if the screen asks for a secret.
 * Bytes that are known to be secret are not remembered.
 */
bool secrecy_typed(struct secrecy *s, const uint8_t *p, size_t len, bool known);

/* True if input would be secret now. */
bool secrecy_asked(const struct secrecy *s);

#endif
