#ifndef TEND_HOST_INPUT_SECRECY_H
#define TEND_HOST_INPUT_SECRECY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/*
 * Whether what is typed is a secret, by what the screen asks for: from the
 * first key at a prompt for a secret (op/secret.session) to Enter, it is.  This sees
 * prompts behind ssh, tmux, script and another tend, whose terminals this host
 * cannot ask (tty_is_secret sees those of its own terminal).
 *
 * The prompt must be one of a program's.  A line that somebody types, or goes
 * back to in an editor, may read the same: so the cursor must not stand on a
 * character, and its row must have changed since the last key.  Unless that was
 * Enter, the row must have held no such prompt before that key, and the prompt
 * must not be what was typed.
 *
 * A home may have more patterns, in the file SECRECY_FILE: a regular expression
 * (op/pattern.session) a line, of which SECRECY_PATTERNS are read when a host begins;
 * # begins a comment.  Lines that are no pattern are named in host.log.
 */
#define SECRECY_FILE "secret-prompts"
#define SECRECY_PATTERNS 64

struct secrecy;

struct secrecy *secrecy_create(const struct session *session);
void secrecy_destroy(struct secrecy *s); /* NULL is fine */

/*
 * These bytes are about to be typed: whether the screen asks for a secret.
 * Those that are known to be one are not remembered.
 */
bool secrecy_typed(struct secrecy *s, const uint8_t *p, size_t len, bool known);

/* Whether what would be typed now is. */
bool secrecy_asked(const struct secrecy *s);

#endif
