#ifndef TEND_AGENT_ACTIVITY_H
#define TEND_AGENT_ACTIVITY_H

/*
 * The activity of a coding agent.  UNKNOWN is an answer like the others: no
 * source of evidence says anything that tend may believe.
 *
 *	IDLE		    it waits for a prompt
 *	WORKING		    a turn is running
 *	DONE		    a turn has ended, and nobody has looked since
 *	WAITING_PERMISSION  it asks if it may do something
 *	WAITING_QUESTION    it asks something else, or shows another dialog
 *	NEEDS_SETUP	    it cannot begin: login, key, trust in a folder
 *	ERROR		    the turn ended with an error
 */
enum activity {
	ACTIVITY_UNKNOWN,
	ACTIVITY_IDLE,
	ACTIVITY_WORKING,
	ACTIVITY_DONE,
	ACTIVITY_WAITING_PERMISSION,
	ACTIVITY_WAITING_QUESTION,
	ACTIVITY_NEEDS_SETUP,
	ACTIVITY_ERROR,
	ACTIVITIES
};

/* "waiting_permission" */
const char *activity_name(enum activity a);

/* 0, or -EINVAL for a name that is none. */
int activity_parse(const char *name, enum activity *out);

#endif
