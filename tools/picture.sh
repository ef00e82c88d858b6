#!/bin/bash
#
# Makes docs/picture.svg, the picture of the README, from a real session:
#
#	tools/picture.sh BUILD >docs/picture.svg
#
# A shell in one session drives an agent in another.  The picture is a
# snapshot of the shell's session.
set -eu

root=$(dirname "$(dirname "$(readlink -f "$0")")")
PATH=$(readlink -f "$1")/src:$PATH
TEND_HOME=$(mktemp -d)
export PATH TEND_HOME
cd "$root/tests/record/programs"

finish() {
	tend kill shell agent >/dev/null 2>&1 || true
	rm -rf "$TEND_HOME"
}
trap finish EXIT

# Type a command at the shell's prompt and wait for its end.
type_command() {
	tend exec shell -- "$1" >/dev/null
}

PS1='$ ' tend run -d -n shell --size 74x22 -- bash --norc >/dev/null
type_command 'tend run -d -n agent --size 72x20 -- python3 agent.py'
tend wait agent --text 'for help' >/dev/null
type_command "tend prompt agent 'mend the parser'"
tend wait agent --text 'for the place' >/dev/null
type_command 'tend snapshot agent | tail -9'
type_command "kill -9 \$(tend info agent --json | jq .result.host_pid)"
type_command '# the agent did not notice'
tend wait agent --stable 1s >/dev/null
type_command 'tend ls'
tend wait shell --stable 1s >/dev/null
tend snapshot shell --format svg
