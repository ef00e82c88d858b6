#ifndef TEND_OP_QUESTION_H
#define TEND_OP_QUESTION_H

struct vt;

/*
 * Detect if the bottom of a screen asks for a choice, so that text and Enter
 * would answer it:
 *
 *	CHOICE	 a list of options, one of them marked by a pointer (❯ 1.  Yes),
 *		 a radio button or reverse video
 *	YES_NO	 a line that ends in [y/N], (yes/no), "y n a" and the like
 *	BUTTONS	 a row of buttons: <Ok> <Cancel>
 *	KEY	 a hint that Enter confirms: "Enter to continue", "press any
 *		 key"; or a page that ends in "Esc to cancel"
 *
 * It judges by appearance alone, without knowledge of programs.  A line of
 * input below, or a cursor after some text there, means that the question is
 * over.  Only the last QUESTION_ROWS rows with text are examined.
 */
enum question {
	QUESTION_NONE,
	QUESTION_CHOICE,
	QUESTION_YES_NO,
	QUESTION_BUTTONS,
	QUESTION_KEY,
};

#define QUESTION_ROWS 48

/*
 * `own` is text that was typed and may be on the screen; it is not a question.
 * NULL: none.
 */
enum question question_find(const struct vt *vt, const char *own);

/* "choice", "yes-no", "buttons", "key"; NULL: none. */
const char *question_name(enum question q);

#endif
