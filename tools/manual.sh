#!/bin/sh
# Makes the pages of the manual, all at once:
#
#	manual.sh PAGES VERSION PROSE OUT NAME...
#
# PAGES is tools/pages.c, built; PROSE is the folder of handwritten text; a
# NAME is that of a page: tend.1, tend-run.1, tend-host.8.  A command without
# handwritten text still gets a page; a test reports it.
set -eu

pages=$1 version=$2 prose=$3 out=$4
shift 4

source_of() {
	case $1 in
	*.8) cat "$prose/$1.scd" ;;
	*)
		name=${1%.1}
		set -- "$version" "${name#tend-}"
		if [ -e "$prose/$name.scd" ]; then
			set -- "$@" "$prose/$name.scd"
		fi
		"$pages" "$@"
		;;
	esac
}

for page; do
	source_of "$page" >"$out/$page.scd"
	scdoc <"$out/$page.scd" >"$out/$page"
done
