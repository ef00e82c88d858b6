#ifndef TEND_SESSION_AROUND_H
#define TEND_SESSION_AROUND_H

#include <stdbool.h>

#include "base/id.h"

/*
 * Which session this process is in.  TEND_SESSION does not tell: programs hand
 * it on, as the server of tmux does, which outlives the session that it was
 * started in.  A keeper among the ancestors tells, and the program that it has
 * started knows the id.
 *
 * True when there is one; id is "" when only that is known.  Where the parents
 * cannot be seen, TEND_SESSION is believed.
 */
bool around_session(char id[ID_SIZE]);

#endif
