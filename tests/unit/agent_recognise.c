#include "unit.h"

#include <string.h>

#include "agent/command.h"
#include "agent/profile.h"
#include "agent/profiles.h"
#include "agent/recognise.h"
#include "base/buf.h"
#include "base/error.h"

/* A command line, its words separated by | here; and the agent. */
struct line {
	const char *words, *agent;
};

static const char *
agent_of(const struct agent_profiles *all, const char *words)
{
	const struct agent_profile *p;
	char line[AGENT_SHELL_MAX * 2];
	size_t len = strlen(words);

	assert_true(len < sizeof(line));
	memcpy(line, words, len + 1);
	for (size_t i = 0; i < len; i++)
		if (line[i] == '|')
			line[i] = '\0';
	p = agent_recognise(all, line, len + 1);
	return p != NULL ? agent_profile_name(p) : "";
}

static void
each(const struct agent_profiles *all, const struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *agent = agent_of(all, lines[i].words);

		if (strcmp(agent, lines[i].agent) != 0)
			fail_msg("%s: it is \"%s\"", lines[i].words, agent);
	}
}

#define EACH(lines) \
	do { \
		struct agent_profiles *all = agent_profiles_create(); \
\
		each(all, lines, sizeof(lines) / sizeof(*(lines))); \
		agent_profiles_destroy(all); \
	} while (0)

static void
an_agent_is_known_by_its_program(void **state)
{
	static const struct line lines[] = {
		{ "claude", "claude" },
		{ "/usr/local/bin/claude|--continue", "claude" },
		{ "-codex", "codex" },
		{ "./gemini", "gemini" },
		{ "/home/u/.local/share/claude/versions/2.1.325|-r", "claude" },
		{ "opencode|--port|4096", "opencode" },
		{ "cursor-agent", "cursor" },
		{ "amp|-x", "amp" },
		{ "auggie", "auggie" },
	};

	(void)state;
	EACH(lines);
}

static void
another_program_is_none(void **state)
{
	static const struct line lines[] = {
		{ "", "" },
		{ "bash", "" },
		{ "vim|claude", "" },
		{ "grep|-r|claude|/usr/bin/codex", "" },
		{ "cat|/x/node_modules/@openai/codex/bin/codex.js", "" },
		{ "claude2", "" },
		{ "/home/claude/bin/ls", "" },
		{ "Claude", "" },
		{ "generic", "" },
		{ "ssh|host|claude", "" },
	};

	(void)state;
	EACH(lines);
}

static void
a_wrapper_is_looked_through(void **state)
{
	static const struct line lines[] = {
		{ "env|claude", "claude" },
		{ "env|-u|HOME|-i|A=b|C_1=|claude|-p", "claude" },
		{ "env|claude=1|bash", "" },
		{ "/usr/bin/nice|-n|10|codex", "codex" },
		{ "nice|-10|codex", "codex" },
		{ "nice|--adjustment=3|codex", "codex" },
		{ "nohup|setsid|-w|nice|stdbuf|-o|L|gemini", "gemini" },
		{ "timeout|-k|5|1h|opencode", "opencode" },
		{ "timeout|1h|bash", "" },
		{ "sudo|-u|ann|-H|claude", "claude" },
		{ "sudo|-u|claude|bash", "" },
		{ "command|--|amp", "amp" },
		{ "env|--|A=1|auggie", "auggie" },
		{ "env", "" },
		{ "env|-u", "" },
		{ "nice|-n|5", "" },
		{ "timeout|5", "" },
	};

	(void)state;
	EACH(lines);
}

static void
a_script_is_known_by_its_package_or_name(void **state)
{
	static const struct line lines[] = {
		{ "node|/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
		    "claude" },
		{ "/opt/node/bin/node|--max-old-space-size=8192|-r|x.js|"
		  "/h/.npm/_npx/ab/node_modules/@openai/codex/bin/codex.js",
		    "codex" },
		{ "node|/usr/local/bin/gemini|--yolo", "gemini" },
		{ "bun|/h/.bun/install/global/node_modules/opencode-ai/bin/x",
		    "opencode" },
		{ "bun|run|--cwd|/x|node_modules/@google/gemini-cli/dist/i.js",
		    "gemini" },
		{ "deno|run|-A|npm:@openai/codex@0.166.0", "codex" },
		{ "/h/.local/share/cursor-agent/versions/1/node|--use-system-ca|"
		  "/h/.local/share/cursor-agent/versions/1/index.js",
		    "cursor" },
		{ "bash|/home/u/bin/claude|--continue", "claude" },
		{ "node|/srv/claude/server.js|claude", "" },
		{ "node|/x/node_modules/@openai/codexes/a.js", "" },
		{ "node|/x/@openai/codex/a.js", "" },
		{ "node|-e|require('@openai/codex')", "" },
		{ "node|--eval|claude", "" },
		{ "node", "" },
		{ "node|--inspect", "" },
		{ "python3|-X|dev|/usr/bin/claude", "claude" },
	};

	(void)state;
	EACH(lines);
}

static void
a_runner_of_packages_is_looked_through(void **state)
{
	static const struct line lines[] = {
		{ "npx|@anthropic-ai/claude-code", "claude" },
		{ "npx|-y|@openai/codex@0.166.0|--full-auto", "codex" },
		{ "npx|--yes|--|@google/gemini-cli@latest", "gemini" },
		{ "npx|-p|@openai/codex|codex", "codex" },
		{ "npm|exec|--|@anthropic-ai/claude-code", "claude" },
		{ "npm exec @openai/codex", "codex" },
		{ "pnpm|dlx|opencode-ai@1.18.33", "opencode" },
		{ "bunx|@augmentcode/auggie", "auggie" },
		{ "bun|x|@sourcegraph/amp", "amp" },
		{ "yarn|dlx|@openai/codex", "codex" },
		{ "npm|install|@openai/codex", "" },
		{ "npm run codex", "" },
		{ "npx|@openai/codex-tools", "" },
		{ "npx|-y", "" },
	};

	(void)state;
	EACH(lines);
}

static void
the_one_command_of_a_shell_is_read(void **state)
{
	static const struct line lines[] = {
		{ "sh|-c|claude", "claude" },
		{ "sh|-c|exec claude \"$@\"", "claude" },
		{ "bash|-lc|A=1 B='x y' exec nice -n 5 codex --full-auto",
		    "codex" },
		{ "zsh|-i|-c|'/opt/my tools/gemini' --yolo 2>/dev/null",
		    "gemini" },
		{ "sh|-c|sh -c 'exec opencode'", "opencode" },
		{ "sh|-c|\\claude", "claude" },
		{ "sh|-c|npx -y @openai/codex", "codex" },
		{ "sh|-c|cd /x && claude", "" },
		{ "sh|-c|claude; vim", "" },
		{ "sh|-c|claude & vim", "" },
		{ "sh|-c|(claude)", "" },
		{ "sh|-c|`which claude`", "" },
		{ "sh|-c|\"`which claude`\"", "" },
		{ "sh|-c|$AGENT", "" },
		{ "sh|-c|echo claude", "" },
		{ "sh|-c|'claude", "" },
		{ "sh|-c|", "" },
		{ "sh|-c|A=1", "" },
		{ "sh|-c", "" },
		{ "sh", "" },
		{ "-bash", "" },
	};

	(void)state;
	EACH(lines);
}

/* The words of other tests are separated by it. */
static void
a_pipe_of_a_shell_is_none(void **state)
{
	static const char pipe[] = "sh\0-c\0claude | cat";
	struct agent_profiles *all = agent_profiles_create();

	(void)state;
	assert_null(agent_recognise(all, pipe, sizeof(pipe)));
	agent_profiles_destroy(all);
}

static void
a_subcommand_that_is_no_agent_is_none(void **state)
{
	static const struct line lines[] = {
		{ "codex|app-server", "" },
		{ "codex|resume", "codex" },
		{ "claude|mcp|list", "" },
		{ "node|/usr/lib/node_modules/@openai/codex/bin/codex.js|exec",
		    "" },
		{ "npx|@openai/codex|app-server", "" },
		{ "opencode|serve", "" },
	};

	(void)state;
	EACH(lines);
}

/* A command line with n times the word, and another at the end. */
static const char *
repeated(const struct agent_profiles *all, const char *word, size_t n,
    const char *last)
{
	struct buf b;
	const struct agent_profile *p;

	buf_init(&b, 1u << 20);
	for (size_t i = 0; i < n; i++)
		buf_append(&b, word, strlen(word) + 1);
	buf_append(&b, last, strlen(last) + 1);
	p = agent_recognise(all, (const char *)b.data, b.len);
	buf_finish(&b);
	return p != NULL ? agent_profile_name(p) : "";
}

static void
each_limit_gives_none(void **state)
{
	struct agent_profiles *all = agent_profiles_create();
	char text[AGENT_SHELL_MAX + 16] = "claude ";
	struct buf b;

	(void)state;
	assert_string_equal(repeated(all, "nohup", AGENT_WRAPPERS_MAX,
				"claude"),
	    "claude");
	assert_string_equal(repeated(all, "nohup", AGENT_WRAPPERS_MAX + 1,
				"claude"),
	    "");
	/* Words beyond the limit are not needed. */
	assert_string_equal(repeated(all, "claude", 1000, "x"), "claude");

	memset(text + 7, 'x', sizeof(text) - 7);
	for (int more = 0; more < 2; more++) {
		text[AGENT_SHELL_MAX - 2 + more] = '\0';
		buf_init(&b, 1u << 20);
		buf_append(&b, "sh\0-c", 6);
		buf_append(&b, text, strlen(text) + 1);
		assert_true((agent_recognise(all, (const char *)b.data,
				 b.len) != NULL) == (more == 0));
		buf_finish(&b);
		text[AGENT_SHELL_MAX - 2 + more] = 'x';
	}
	agent_profiles_destroy(all);
}

static void
words_without_an_end_are_none(void **state)
{
	struct agent_profiles *all = agent_profiles_create();

	(void)state;
	assert_null(agent_recognise(all, "claude", 6));
	assert_null(agent_recognise(all, "nice\0claude", 11));
	assert_null(agent_recognise(all, "", 0));
	assert_non_null(agent_recognise(all, "claude", 7));
	agent_profiles_destroy(all);
}

static void
an_agent_is_known_by_the_name_it_reports(void **state)
{
	struct agent_profiles *all = agent_profiles_create();

	(void)state;
	assert_string_equal(agent_profile_name(
				agent_recognise_app(all, "claude-code")),
	    "claude");
	assert_string_equal(agent_profile_name(
				agent_recognise_app(all, "codex")),
	    "codex");
	assert_null(agent_recognise_app(all, ""));
	assert_null(agent_recognise_app(all, "claude"));
	agent_profiles_destroy(all);
}

static void
a_profile_of_the_user_comes_first(void **state)
{
	static const char text[] = "[agent]\nprogram = claude\napp = codex\n";
	struct agent_profiles *all = agent_profiles_create();
	struct error err;

	(void)state;
	assert_int_equal(agent_profiles_add(all, "zed", text, strlen(text),
			     &err),
	    0);
	assert_string_equal(agent_of(all, "claude"), "zed");
	assert_string_equal(agent_of(all, "codex"), "codex");
	assert_string_equal(agent_profile_name(
				agent_recognise_app(all, "codex")),
	    "zed");
	agent_profiles_destroy(all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_is_known_by_its_program),
		cmocka_unit_test(another_program_is_none),
		cmocka_unit_test(a_wrapper_is_looked_through),
		cmocka_unit_test(a_script_is_known_by_its_package_or_name),
		cmocka_unit_test(a_runner_of_packages_is_looked_through),
		cmocka_unit_test(the_one_command_of_a_shell_is_read),
		cmocka_unit_test(a_pipe_of_a_shell_is_none),
		cmocka_unit_test(a_subcommand_that_is_no_agent_is_none),
		cmocka_unit_test(each_limit_gives_none),
		cmocka_unit_test(words_without_an_end_are_none),
		cmocka_unit_test(an_agent_is_known_by_the_name_it_reports),
		cmocka_unit_test(a_profile_of_the_user_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
