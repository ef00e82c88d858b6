#ifndef TEND_OP_ACTIVITY_H
#define TEND_OP_ACTIVITY_H

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
 *
 * Results, the log, conditions and profiles take the names from this table:
 *
 *	(NAME, name)
 *
 * A new row is a NEXT, at the end.
 */
#define ACTIVITY_ROWS(FIRST, NEXT) \
	FIRST(UNKNOWN, "unknown") \
	NEXT(IDLE, "idle") \
	NEXT(WORKING, "working") \
	NEXT(DONE, "done") \
	NEXT(WAITING_PERMISSION, "waiting_permission") \
	NEXT(WAITING_QUESTION, "waiting_question") \
	NEXT(NEEDS_SETUP, "needs_setup") \
	NEXT(ERROR, "error")

enum activity {
#define ACTIVITY_ID(NAME, name) ACTIVITY_##NAME,
	ACTIVITY_ROWS(ACTIVITY_ID, ACTIVITY_ID)
#undef ACTIVITY_ID
	    ACTIVITIES
};

#define ACTIVITY_NAME(NAME, name) name
#define ACTIVITY_SPACE(NAME, name) " " name
#define ACTIVITY_COMMA(NAME, name) ", " name
#define ACTIVITY_CODE(NAME, name) "`" name "`"
#define ACTIVITY_COMMA_CODE(NAME, name) ", `" name "`"

/* "unknown idle …", "unknown, idle, …", "`unknown`, `idle`, …" */
#define ACTIVITY_WORDS ACTIVITY_ROWS(ACTIVITY_NAME, ACTIVITY_SPACE)
#define ACTIVITY_LIST ACTIVITY_ROWS(ACTIVITY_NAME, ACTIVITY_COMMA)
#define ACTIVITY_CODES ACTIVITY_ROWS(ACTIVITY_CODE, ACTIVITY_COMMA_CODE)

#define ACTIVITY_NAME_SIZE 32 /* bytes that hold any name */

/* By number. */
extern const char *const activity_names[ACTIVITIES];

const char *activity_name(enum activity a);

/* 0, or -EINVAL for a name that is none. */
int activity_parse(const char *name, enum activity *out);

#endif
