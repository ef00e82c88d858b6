#ifndef TEND_HOME_FAULT_H
#define TEND_HOME_FAULT_H

#include "op/failure.h"

/*
 * The reason why an operation failed: a kind of failure for programs and a
 * message for people.  The functions of this folder return 0, or -1 and fill in
 * a fault.
 */
#define FAULT_MAX 8192 /* a path of PATH_MAX and the text around it */
#define FAULT_ARGUMENT_SIZE 32

struct fault {
	enum failure failure;
	int status; /* exit status (126, 127); 0: that of the failure */
	/*
	 * The name of the wrong argument as in the operation ("max_log"), or
	 * "".  A message that begins with a blank or a colon follows the name
	 * (" 3M is too little"); any other message can stand without it.  Each
	 * surface prints the name in its own form.
	 */
	char argument[FAULT_ARGUMENT_SIZE];
	char msg[FAULT_MAX];
};

/* Always returns -1, so that a caller can return the call. */
int fault_set(struct fault *f, enum failure failure, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a wrong argument, with FAIL_USAGE. */
int fault_argument(struct fault *f, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * FAIL_BUSY if the system has run out of something for now: descriptors,
 * memory, threads.  Any other error is the failure `otherwise`.
 */
enum failure fault_shortage(int error, enum failure otherwise);

/*
 * The fault as a sentence.  `name` is the argument as the surface writes it
 * ("--max-log"), `with` the word before it in "give another with --max-log", or
 * "".
 */
#define FAULT_WORDS_MAX (FAULT_MAX + 128)
void fault_words(const struct fault *f, const char *name, const char *with,
    char out[FAULT_WORDS_MAX]);

#endif
