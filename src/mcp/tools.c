#include "mcp/tool.h"

/*
 * How to add one: leave the operation to MCP in op/ops.def, and give it an
 * entry here and a line for each new argument in arguments.def.  A model reads
 * all of this before it begins: every word counts.
 */
#define OPERATION(name) .op = &ops[OP_ID_##name]

#define SESSION_FIELDS \
	"id name status outcome " \
	"exit_code exit_signal command cwd " \
	"cols rows seq"

const struct tool tools[] = {
	{
	    OPERATION(session_create),
	    .title = "Start a program in a terminal",
	    .description =
		"Start a program in a new terminal session that goes on until "
		"it ends or is stopped. Returns its id, which the other tools "
		"take as `session`.",
	    .hints = TOOL_OPEN_WORLD,
	    .withheld = " input resize log_input restart durable forget_env "
			"no_integration max_log idle_timeout linger_output "
			"scrollback memory pids cpu_weight confined may reuse ",
	    .by = TOOL_BY_HOME,
	    .homely = true,
	    .shape = { SESSION_FIELDS, "", NULL },
	},
	{
	    OPERATION(session_list),
	    .title = "List sessions",
	    .description = "List terminal sessions, the newest first.",
	    .hints = TOOL_READS,
	    .withheld = " all_homes ",
	    .by = TOOL_BY_HOME,
	    .homely = true,
	    .shape = { "", "", NULL },
	    .items = "sessions",
	    .item = { "id name status outcome "
		      "exit_code exit_signal command",
		"last_line", NULL },
	},
	{
	    OPERATION(session_get),
	    .title = "Look at a session",
	    .description =
		"What a session is: status, how its program ended, its size.",
	    .hints = TOOL_READS,
	    .by = TOOL_BY_HOST_OR_HOME,
	    .shape = { SESSION_FIELDS " observers", "last_line", NULL },
	},
	{
	    OPERATION(session_snapshot),
	    .title = "Read the screen",
	    .description =
		"The screen as text, rows and columns from 0; with `since` "
		"only rows that changed, as `row: text`. Works for sessions "
		"that have ended, too. To see the screen change, use "
		"session_wait rather than reading it again and again.",
	    .hints = TOOL_READS,
	    .withheld = " format cells hidden at ",
	    .given = "{\"format\":\"json\",\"hidden\":true}",
	    .by = TOOL_BY_HOST_OR_HOME,
	    .shape = { "cols rows cursor alt_screen "
		       "seq offset hash first_row",
		"screen=lines changed last_command=last_command.lines "
		"scrollback title",
		NULL },
	},
	{
	    OPERATION(session_send),
	    .title = "Type into a session",
	    .description =
		"Type text and press keys, in the order given and as one "
		"piece. Text is typed as it is: end a line with the key Enter, "
		"not with a newline. Wait for what should appear with "
		"session_wait and `after` set to the seq returned here; the "
		"echo of what is typed here does not count as that.",
	    .hints = TOOL_DESTROYS | TOOL_OPEN_WORLD,
	    .shape = { "seq offset", "", NULL },
	},
	{
	    OPERATION(session_exec),
	    .title = "Run a command in the session's shell",
	    .description =
		"Run a command in the shell of a session, as if typed at its "
		"prompt, and return its exit status and its output. After a "
		"time-out it goes on: see its end with session_wait, "
		"`command_done` and `after` set to the seq returned here.",
	    .hints = TOOL_DESTROYS | TOOL_OPEN_WORLD,
	    .given = "{\"timeout_ms\":30000}",
	    .asked = "{\"max_output\":2097152}",
	    .shape = { "exit_code exit_signal timed_out "
		       "capture outcome seq",
		"output", NULL },
	},
	{
	    OPERATION(session_prompt),
	    .title = "Submit a message",
	    .description =
		"Type a message, submit it, and see that the program read it "
		"and answered: for a prompt of a shell, a REPL or another "
		"agent. Never typed twice. Refused while a question is open "
		"on the screen: answer that by session_send. After anything "
		"but `delivered`, look at the screen. Not for full-screen programs: use "
		"session_send.",
	    .hints = TOOL_DESTROYS | TOOL_OPEN_WORLD,
	    .given = "{\"timeout_ms\":10000}",
	    .shape = { "result code reason "
		       "evidence seq offset",
		"", NULL },
	},
	{
	    OPERATION(session_batch),
	    .title = "Type, wait and look in one call",
	    .description =
		"Carry out steps one after the other. A wait sees only what is "
		"shown after the input before it, and not the echo of that "
		"input. The first step that fails ends it, also a command with "
		"another exit status than 0; what was done stays done.",
	    .hints = TOOL_DESTROYS | TOOL_OPEN_WORLD | TOOL_STOPS,
	    .by = TOOL_BY_HOME,
	    .shape = { "completed failed", "", NULL },
	    .items = "steps",
	    .item = { "index kind status seq "
		      "matched timed_out seen "
		      "exit_code "
		      "exit_signal result hash "
		      "error",
		"output text screen=lines data", "result" },
	},
	{
	    OPERATION(session_wait),
	    .title = "Wait for the screen",
	    .description =
		"Wait until the screen meets all conditions given, and return "
		"at once then; with `exit` and `command_done`, the exit status "
		"of what has ended. The echo of what was typed does not "
		"count, nor with `after` what stood there before. Without a "
		"match, `screen` is what it showed, and "
		"`seen` says if the text was only in the echo of what was "
		"typed (\"echo\") or in lines of before (\"before\").",
	    .hints = TOOL_READS,
	    .given = "{\"timeout_ms\":30000}",
	    .by = TOOL_BY_HOST_OR_HOME,
	    .shape = { "matched timed_out condition "
		       "row col seq hash "
		       "seen exit_code exit_signal",
		"text screen", NULL },
	},
	{
	    OPERATION(session_output),
	    .title = "Read what was written",
	    .description =
		"The lines a program wrote, from the log, also those that have "
		"left the screen or that it cleared; the first and the last "
		"when there are too many.",
	    .hints = TOOL_READS,
	    .withheld = " from to lines raw ",
	    .by = TOOL_BY_HOME,
	    .shape = { "", "text", NULL },
	},
	{
	    OPERATION(session_resize),
	    .title = "Resize a session",
	    .description = "Change the size of the terminal.",
	    .hints = TOOL_REPEATABLE,
	    .shape = { "cols rows seq", "", NULL },
	},
	{
	    OPERATION(session_signal),
	    .title = "Send a signal",
	    .description =
		"Send a signal to the program in the foreground of a session. "
		"To interrupt or suspend as a person would, send the keys C-c "
		"or C-z; to end a session, use session_stop.",
	    .hints = TOOL_DESTROYS,
	    .shape = { "seq", "", NULL },
	},
	{
	    OPERATION(session_mark),
	    .title = "Mark a moment",
	    .description =
		"Give this moment a name in the session's log, for a person to "
		"find it later. The seq returned is one for `since` and "
		"`after`.",
	    .shape = { "seq offset", "", NULL },
	},
	{
	    OPERATION(session_stop),
	    .title = "End a session",
	    .description =
		"Ask the program to end and see that it does. Log and last "
		"screen stay and can still be read.",
	    .hints = TOOL_DESTROYS | TOOL_REPEATABLE,
	    .by = TOOL_BY_HOME,
	    .shape = { SESSION_FIELDS, "", NULL },
	},
	{ .op = NULL },
};
