#ifndef TEND_OP_SECRET_H
#define TEND_OP_SECRET_H

#include <stddef.h>

/*
 * Find out if a line asks for a secret, by its words: secret.def has the words, in
 * the languages of sudo, ssh, su and PAM.  The line is what stands on the
 * screen before the cursor.  Blanks at its end do not count, nor do the stars
 * or dots that a program shows for what was typed.
 *
 * A prompt is a noun with what may stand around it, and a colon:
 *
 *	[sudo] password for ann:	Enter passphrase for key '/x/id_rsa':
 *	ann@host's password: ****	│ PIN: ●●
 *
 * and not a line in which the noun belongs to another ("password file:",
 * "name of the token:"), a question with a choice ("save password [y/N]:"), or
 * the line of a shell ("$ echo password:").  Only the last SECRET_LINE_MAX
 * characters are looked at.
 *
 * How long the prompt is without what does not count; 0: it is none.
 */
#define SECRET_LINE_MAX 512
size_t secret_prompt(const char *line, size_t len);

/* How long a line is without blanks and such stars at its end. */
size_t secret_trim(const char *line, size_t len);

#endif
