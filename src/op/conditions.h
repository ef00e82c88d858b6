#ifndef TEND_OP_CONDITIONS_H
#define TEND_OP_CONDITIONS_H

#include "op/activity.h"

/*
 * All conditions of a wait.  The rows generate the arguments of session.wait,
 * the options of `tend wait`, the notes of tools, the skill for agents and the
 * lists in docs/protocol.md and the manual.  test_field in op/sight.c tests a
 * condition.  CONTRIBUTING.md describes how to add one.
 *
 *	(NAME, field, option, letter, value, type, traits, summary, holds)
 *
 * STRING, FLAG    a text, or no value
 * VALUE           a value that read_field in op/condition.c parses
 * MS              a duration; it holds if field_ms of struct sight is as long,
 *                 and needs no function
 * EVENT           a flag that holds once HAPPENING_NAME (vt/happenings.h) has
 *                 happened; it needs no function
 * field           the argument; a duration arrives as field_ms
 * option, letter, value
 *                 on a command line: --option VALUE, -letter
 * type            in the language of op/type.h
 * traits          enum condition_trait (op/condition.h)
 * summary         for help, one line
 * holds           when the condition holds, for docs/protocol.md
 */
/* clang-format off */
#define CONDITIONS(STRING, VALUE, MS, FLAG, EVENT) \
STRING(TEXT, text, "text", 't', "TEXT", "string[1-4096]", \
    CONDITION_OF_FRAME | CONDITION_OF_SCREEN | CONDITION_FINDS, \
    "this text is on the screen", \
    "the visible text (docs/screen.md) contains this text, up to 4 KiB. The " \
    "search joins the rows of a line that is broken at the margin; without a " \
    "match, it searches row by row") \
VALUE(REGEX, regex, "regex", 'r', "PATTERN", "string[1-4096]", \
    CONDITION_OF_FRAME | CONDITION_OF_SCREEN | CONDITION_FINDS, \
    "this regular expression matches the screen", \
    "this pattern (PCRE2, UTF-8, multi-line), up to 4 KiB, matches the " \
    "visible text. A pattern that takes too long on a screen is an error") \
STRING(ABSENT, absent, "absent", 0, "TEXT", "string[1-4096]", \
    CONDITION_OF_FRAME | CONDITION_OF_SCREEN, \
    "this text is not on the screen", \
    "the visible text does not contain this text, in lines or in rows") \
VALUE(CURSOR, cursor, "cursor", 0, "ROW,COL", "string", \
    CONDITION_OF_FRAME | CONDITION_OF_SCREEN, \
    "the cursor is at this place; * matches any", \
    "the cursor is at `ROW,COL`; `*` matches any row or column") \
VALUE(CHANGED, changed_since, "changed-since", 0, "HASH", "string", \
    CONDITION_OF_FRAME | CONDITION_OF_SCREEN, \
    "the screen's hash differs from this one", \
    "the screen's hash differs from this one") \
MS(STABLE, stable, "stable", 0, "DURATION", "duration[1-604800000]", \
    CONDITION_OF_FRAME | CONDITION_OF_NOW, \
    "the text has not changed for this long", \
    "the visible text has not changed for this long") \
MS(IDLE, idle, "idle", 0, "DURATION", "duration[1-604800000]", \
    CONDITION_OF_FRAME | CONDITION_OF_NOW | CONDITION_BLIND, \
    "no input and no output for this long", \
    "there was no output and no input for this long") \
VALUE(ACTIVITY, activity, "activity", 0, "LIST", "string[1-255]", \
    CONDITION_OF_NOW | CONDITION_BLIND, \
    "the session's agent does one of these, as in idle,done", \
    "the activity of the coding agent in the session (docs/agents.md) is one " \
    "of these, separated by commas: " ACTIVITY_CODES) \
EVENT(DONE, command_done, "command-done", 0, NULL, "bool", \
    0, \
    "a command of the shell has ended", \
    "an OSC 133;D has arrived after the event `after`; without `after`, " \
    "since the request") \
FLAG(EXIT, exit, "exit", 0, NULL, "bool", \
    CONDITION_OF_NOW | CONDITION_BLIND, \
    "the session has ended", \
    "the session has ended")
/* clang-format on */

/* "text:string[1-4096]? …", each followed by a space. */
#define CONDITION_TYPE(NAME, field, option, letter, value, type, ...) \
#field ":" type "? "
#define CONDITION_TYPES \
	CONDITIONS(CONDITION_TYPE, CONDITION_TYPE, CONDITION_TYPE, \
	    CONDITION_TYPE, CONDITION_TYPE)

#endif
