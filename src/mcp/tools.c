#include "mcp/tool.h"

/*
 * To add a tool: list MCP among the operation's surfaces in op/ops.def, and add
 * an entry here and a line for each new argument in arguments.def.  A model
 * reads all of this before it begins: every word counts.
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
		"Start a program in a new terminal session, which runs until "
		"it ends or is stopped. Returns its id, which the other tools "
		"take as `session`.",
	    .hints = TOOL_OPEN_WORLD,
	    .withheld = " input resize log_input restart durable forget_env "
			"no_integration max_log idle_timeout linger_output "
			"scrollback memory pids cpu_weight confined may reuse ",
	    .homely = true,
	    .shape = { SESSION_FIELDS, "", NULL },
	},
	{
	    OPERATION(session_list),
	    .title = "List sessions",
	    .description = "List terminal sessions, newest first.",
	    .hints = TOOL_READS,
	    .withheld = " all_homes ",
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
		"Get a session's status, how its program ended, and its size.",
	    .hints = TOOL_READS,
	    .shape = { SESSION_FIELDS " observers", "last_line", NULL },
	},
	{
	    OPERATION(session_snapshot),
	    .title = "Read the screen",
	    .description =
		"The screen as text, rows and columns from 0; with `since` "
		"only rows that changed, as `row: text`. Also works for ended "
		"sessions. To wait for a change, use session_wait instead of "
		"reading the screen repeatedly.",
	    .hints = TOOL_READS,
	    .withheld = " format cells hidden at ",
	    .given = "{\"format\":\"json\",\"hidden\":true}",
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
		"piece. Text is typed unchanged: end a line with the key "
		"Enter, not with a newline. Then wait for the result with "
		"session_wait and `after` set to the seq returned here; the "
		"echo of your input does not match.",
	    .hints = TOOL_DESTROYS | TOOL_OPEN_WORLD,
	    .shape = { "seq offset", "", NULL },
	},
	{
	    OPERATION(session_exec),
	    .title = "Run a command in the session's shell",
	    .description =
		"Run a command in the shell of a session, as if typed at its "
		"prompt, and return its exit status and output. After a "
		"timeout it keeps running: wait for its end with session_wait, "
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
		"Type a message, submit it, and confirm that the program read "
		"it and answered: for a prompt of a shell, a REPL or another "
		"agent. It is never typed twice. Refused while a question is "
		"open on the screen: answer that with session_send. After any "
		"result but `delivered`, look at the screen. For full-screen "
		"programs use session_send.",
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
		"Run steps one after the other. A wait sees only lines that "
		"appear after the input before it, and not the echo of that "
		"input. The first failed step ends the batch, as does a "
		"command with an exit status other than 0; earlier steps are "
		"not undone.",
	    .hints = TOOL_DESTROYS | TOOL_OPEN_WORLD,
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
		"Wait until the screen meets all conditions, then return at "
		"once; with `exit` and `command_done`, return the exit status "
		"of the session or command. The echo of typed text does not "
		"match, nor, with `after`, do older lines. Without a match, "
		"`screen` is the screen at that time, and `seen` tells if the "
		"text was only in the echo (\"echo\") or in older lines "
		"(\"before\").",
	    .hints = TOOL_READS,
	    .given = "{\"timeout_ms\":30000}",
	    .shape = { "matched timed_out condition "
		       "row col seq hash "
		       "seen exit_code exit_signal",
		"text screen", NULL },
	},
	{
	    OPERATION(session_output),
	    .title = "Read the output",
	    .description =
		"The lines that a program wrote, from the log, including lines "
		"that have left the screen or were cleared; the first and the "
		"last if there are too many.",
	    .hints = TOOL_READS,
	    .withheld = " from to lines raw ",
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
		"Send a signal to the foreground program of a session. To "
		"interrupt or suspend it as a person would, send the keys C-c "
		"or C-z; to end a session, use session_stop.",
	    .hints = TOOL_DESTROYS,
	    .shape = { "seq", "", NULL },
	},
	{
	    OPERATION(session_mark),
	    .title = "Mark a moment",
	    .description =
		"Name this moment in the session's log, so that a person can "
		"find it later. The returned seq can be used as `since` and "
		"`after`.",
	    .shape = { "seq offset", "", NULL },
	},
	{
	    OPERATION(session_stop),
	    .title = "End a session",
	    .description =
		"Ask the program to end and wait until it has. The log and the "
		"last screen can still be read.",
	    .hints = TOOL_DESTROYS | TOOL_REPEATABLE,
	    .shape = { SESSION_FIELDS, "", NULL },
	},
	{ .op = NULL },
};
