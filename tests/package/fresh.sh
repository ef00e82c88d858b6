#!/usr/bin/env bash
#
# The package as a user meets it: on a Debian 12 machine that has nothing, as
# root, installing and removing for good.  So it asks to be told that the
# machine is there to be thrown away:
#
#	THROWAWAY=yes tests/package/fresh.sh [PACKAGE.deb]
#
# Without PACKAGE it is built first.  tests/it/test_package.py does what can be
# done below a directory of its own.
set -euo pipefail

[ "${THROWAWAY:-}" = yes ] || {
	echo "this installs and removes packages: say THROWAWAY=yes" >&2
	exit 2
}
cd "$(dirname "$(readlink -f "$0")")/../.."
export DEBIAN_FRONTEND=noninteractive TEND_HOME=/root/home-of-the-test
work=$(mktemp -d)

say() {
	printf '== %s\n' "$*"
}

die() {
	printf 'FAIL %s\n' "$*" >&2
	exit 1
}

# Ask again until the command goes well, for half a minute.
wait_for() {
	local tries

	for ((tries = 0; tries < 300; tries++)); do
		if "$@" >/dev/null 2>&1; then
			return 0
		fi
		sleep 0.1
	done
	die "not within 30 s: $*"
}

build() {
	apt-get -qq install -y --no-install-recommends build-essential fakeroot
	apt-get -qq build-dep -y .
	cp -r . "$work/tend"
	(cd "$work/tend" && dpkg-buildpackage -us -uc -b)
}

# The program that a session's host runs, and that a new one comes when it dies.
host_pid() {
	sed -n 's/.*"host_pid":\([0-9]*\).*/\1/p' "$TEND_HOME"/sessions/*/session.json
}

is_another_host() {
	local pid

	pid=$(host_pid)
	[ "$pid" != 0 ] && [ "$pid" != "$1" ] && [ -e "/proc/$pid/exe" ]
}

kill_host() {
	local old

	old=$(host_pid)
	kill -9 "$old"
	wait_for is_another_host "$old"
	readlink "/proc/$(host_pid)/exe"
}

complete_in_bash() {
	bash -c '. /usr/share/bash-completion/completions/tend
		COMP_WORDS=(tend attach ke) COMP_CWORD=2
		_tend tend ke attach
		printf "%s\n" "${COMPREPLY[@]}"'
}

apt-get -qq update
package=${1:-}
if [ -z "$package" ]; then
	say "building"
	build >"$work/build.log" 2>&1 || {
		tail -n 50 "$work/build.log"
		die "the package does not build"
	}
	package=$(echo "$work"/tend_*.deb)
fi

say "installing"
apt-get -qq install -y man-db "$(readlink -f "$package")" >"$work/apt.log" 2>&1
tend version
man -w tend tend-run tend-host >/dev/null
man tend | grep -q 'terminal sessions that outlive' || die "man tend"
man tend-attach | grep -q -- --read-only || die "man tend-attach"

say "a session"
id=$(tend run -d -n kept -- sh -c 'echo before; exec cat')
wait_for sh -c "tend snapshot $id | grep before"
[ "$(complete_in_bash)" = kept ] || die "completion: $(complete_in_bash)"
kill_host

say "a hub"
tend hub start --listen 127.0.0.1:0
tend hub status | grep -q '^url .*http://127.0.0.1:' || die "tend hub status"
tend token create >/dev/null 2>&1 || die "tend token create"
tend hub stop

say "removing under it"
apt-get -qq remove -y tend >"$work/apt.log" 2>&1
for gone in bin/tend libexec/tend share/man/man1/tend.1.gz; do
	[ ! -e "/usr/$gone" ] || die "/usr/$gone is still there"
done
kill_host | grep -q '(deleted)' || die "another program than before"

say "installing again"
apt-get -qq install -y "$(readlink -f "$package")" >"$work/apt.log" 2>&1
tend ls
tend send "$id" --text after --keys Enter
wait_for sh -c "tend snapshot $id | grep after"
tend snapshot "$id" | grep -q before || die "the screen is not what it was"
kill_host
tend stop "$id"

say "purging"
apt-get -qq purge -y tend >"$work/apt.log" 2>&1
[ -d "$TEND_HOME/sessions/$id/log" ] || die "the home was not to be removed"
! dpkg -s tend >/dev/null 2>&1 || die "dpkg still knows it"
echo "the package passed"
