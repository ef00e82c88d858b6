#ifndef TEND_OP_SECRET_H
#define TEND_OP_SECRET_H

#include <stddef.h>

/*
 * Detect by its words if a line asks for a secret.  secret.def has the words,
 * in the languages of sudo, ssh, su and PAM.  The line is the text on the
 * screen before the cursor.  Blanks at its end are ignored, and so are the
 * stars or dots that a program shows for typed characters.
 *
 * A prompt is a noun, some words that may surround it, and a colon:
 *
 *	[sudo] password for ann:	Enter passphrase for key '/x/id_rsa':
 *	ann@host's password: ****	│ PIN: ●●
 *
 * It is not a line in which the noun belongs to another ("password file:",
 * "name of the token:"), a question with a choice ("save password [y/N]:"), or
 * a shell's line ("$ echo password:").  Only the last SECRET_LINE_MAX
 * characters are examined.
 *
 * Returns the length of the prompt without the ignored part; 0: not a prompt.
 */
#define SECRET_LINE_MAX 512
size_t secret_prompt(const char *line, size_t len);

/* The length of a line without blanks and such stars at its end. */
size_t secret_trim(const char *line, size_t len);

#endif
