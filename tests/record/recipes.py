"""The programs that are recorded, and the steps that drive them.

A recipe is a program, a window size and steps; RECIPES at the end is the
table.  The steps are methods of session.Session:

    ("wait", REGEX)      until this text (control sequences taken out) has
                         come since the last input or resize
    ("more", N)          until N more bytes have come, for programs that
                         never rest
    ("quiet",)           until the program has come to rest
    ("key", STR)         type all at once
    ("text", STR)        type like a person, waiting for each echo
    ("resize", C, R)     change the window
    ("end",)             until the program ends

To add one: write a function or a list of steps, add a row to RECIPES, run
`record.py NAME`, and add its line to tests/data/README.md.
"""

import dataclasses

ESC = "\x1b"
UP, DOWN, RIGHT, LEFT = (f"{ESC}[{c}" for c in "ABCD")
APP_DOWN, APP_RIGHT = f"{ESC}OB", f"{ESC}OC"
PAGE_UP, PAGE_DOWN = f"{ESC}[5~", f"{ESC}[6~"
F3, F5, F9, F10 = f"{ESC}OR", f"{ESC}[15~", f"{ESC}[20~", f"{ESC}[21~"
CTRL = {c: chr(ord(c) - 64) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"}

NORMAL = (80, 24)
WIDE = (200, 60)
ODD = (100, 30)


@dataclasses.dataclass(frozen=True)
class Recipe:
    argv: tuple
    steps: tuple
    size: tuple = NORMAL
    setup: str = ""             # a bash script run before, in /home/user
    env: dict = dataclasses.field(default_factory=dict)
    root: bool = False          # run as root inside the scratch machine
    limit: int = 70_000        # bytes of output at which it is cut


def calm(*steps):
    """After every key or resize, let the program come to rest."""
    out = []
    for step in steps:
        out.append(step)
        if step[0] in ("key", "text", "resize"):
            out.append(("quiet",))
    return tuple(out)


# Texts to edit and look at, made on the spot.

SOURCE = r"""
cat > main.c <<'END'
#include <stdio.h>
#include <string.h>

#define COUNT 12

/* Prints a table of squares; the long line below wraps on narrow windows. */
static const char *names[COUNT] = { "zero", "one", "two", "three", "four", "five", "six" };

static int
square(int n)
{
	return n * n;	/* a tab before this comment */
}

int
main(int argc, char **argv)
{
	for (int i = 0; i < COUNT; i++) {
		if (names[i] == NULL)
			break;
		printf("%-8s %4d\n", names[i], square(i));
	}
	(void)argc;
	return strcmp(argv[0], "") == 0;
}
END
"""

PROSE = r"""
for i in $(seq 1 300); do
	printf 'Line %d: the quick brown fox jumps over the lazy dog' $i
	[ $((i % 7)) -eq 0 ] && printf ' and then it runs on and on over the meadow, past the mill, until the window ends'
	[ $((i % 11)) -eq 0 ] && printf ' 漢字かな 😀 e\xcc\x81'
	printf '\n'
done > prose.txt
"""

REPOSITORY = SOURCE + r"""
git init -q -b main
git config user.name 'Ada Example'
git config user.email ada@example.org
n=0
commit() {
	n=$((n + 1))
	printf '%s\n' "$1" >> notes.txt
	git add .
	GIT_AUTHOR_DATE="2024-01-01T10:$n:00Z" \
	    GIT_COMMITTER_DATE="2024-01-01T10:$n:00Z" \
	    git commit -q -m "$1" --author "$2"
}
commit 'Add the table of squares' 'Ada Example <ada@example.org>'
commit 'Explain what it prints' 'Grace Example <grace@example.org>'
git checkout -q -b parser
commit 'parser: read numbers from the command line' 'Ada Example <ada@example.org>'
commit 'parser: refuse what is not a number, with a message that is long enough to need more than one row' 'Ada Example <ada@example.org>'
git checkout -q main
sed -i 's/COUNT 12/COUNT 16/; s/n \* n/n * (long)n/' main.c
commit 'Count to sixteen' 'Grace Example <grace@example.org>'
git merge -q -X ours -m 'Merge branch parser' parser
git checkout -q -b docs HEAD~1
commit 'docs: 説明を書く 📝' 'Grace Example <grace@example.org>'
git checkout -q main
for i in $(seq 1 12); do commit "Change number $i" 'Ada Example <ada@example.org>'; done
git merge -q -X ours -m 'Merge branch docs' docs
git tag v1.0
sed -i 's/square/power/; /strcmp/d; s/"four"/"vier"/' main.c
printf 'a new last line, without an end' >> notes.txt
"""

BROKEN = r"""
cat > broken.c <<'END'
#include <stdio.h>
struct point { int x, y; };
static int unused(const char *format, int *p);
int main(void)
{
	struct point here = { .x = 1, .z = 2 };
	char *text = 42;
	printf("%d %s\n", "text", here.x);
	int wide = "漢字" + here.yy;
	if (here.x = 3)
		retrun wide;
	undeclared_function(here, &text)
	return 0;
}
END
cat > broken.cc <<'END'
#include <map>
#include <string>
#include <vector>
int main()
{
	std::map<std::string, std::vector<int>> m;
	m["a"] = std::vector<std::string>{"b"};
	for (auto &[k, v] : m)
		v.push_back(k);
	return m.size() + "x" + m;
}
END
"""

PACKAGES = r"""
for p in alpha beta gamma delta epsilon; do
	mkdir -p $p
	printf '{"name":"%s","version":"1.0.0","description":"%s"}\n' $p $p > $p/package.json
	head -c 300000 /dev/urandom | base64 > $p/data.txt
done
printf '{"name":"demo","version":"1.0.0","scripts":{"test":"node -e 0"}}\n' > package.json
for p in alpha beta gamma delta epsilon; do (cd $p && npm pack --silent > /dev/null); done
"""

# An empty list of sources, and packages of our own, so that nothing is
# fetched and no address can be seen.
DEBS = r"""
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d /var/lib/apt/lists
rm -f /etc/apt/apt.conf.d/*unattended* /etc/apt/apt.conf.d/*listchanges*
rm -f /var/lib/dpkg/statoverride
mkdir -p /var/lib/apt/lists/partial
for p in alpha beta gamma delta epsilon zeta eta theta; do
	mkdir -p pkg/$p/DEBIAN pkg/$p/usr/share/doc/demo-$p
	printf 'Package: demo-%s\nVersion: 1.0\nArchitecture: all\nMaintainer: Ada Example <ada@example.org>\nDescription: demonstration\n' $p > pkg/$p/DEBIAN/control
	seq 1 20000 > pkg/$p/usr/share/doc/demo-$p/data
	dpkg-deb --root-owner-group -b pkg/$p demo-$p.deb
done
chmod 755 /home/user
"""

PROCESSES = r"""
cat > run.sh <<'END'
for i in 1 2 3 4 5 6 7 8; do sleep $((600 + i)) & done
(while :; do :; done) &
(while :; do read -t 0.05 < <(:); done) &
exec "$@"
END
"""

FILES = SOURCE + PROSE + r"""
mkdir -p Documents/letters Music Pictures src/include src/vt .config
for i in $(seq 1 40); do echo $i > Documents/report-$i.txt; done
touch Music/{alpha,beta,gamma}.ogg 'Pictures/über allem.png' Pictures/漢字.png
ln -s Documents/letters letters; chmod +x main.c
touch -d 2024-01-02T03:04:05Z Documents/* Music/* Pictures/* *
"""

# Editors.

VIM_EDIT = calm(
    ("wait", "stdio"), ("key", "5G"), ("key", "o"),
    ("text", "/* new: 漢字 é 😀 */"), ("key", ESC),
    ("key", "yyp"), ("key", ":%s/int/long/g\r"), ("key", "/square\r"),
    ("key", "n"), ("key", "dd"), ("key", "u"), ("key", ">>"), ("key", "G"),
    ("key", "A"), ("text", " the end of the line goes on and on and on " * 3),
    ("key", ESC), ("key", "gg"), ("key", ":set list\r"),
    ("key", ":w other.c\r"), ("key", ":q!\r"), ("end",))

VIM_VISUAL = calm(
    ("wait", "stdio"), ("key", "9G"), ("key", "V4j"), ("key", "d"),
    ("key", "P"), ("key", "gg0"), ("key", f"{CTRL['V']}5jl"),
    ("key", "I"), ("text", "// "), ("key", ESC), ("key", "v3w"),
    ("key", "~"), ("key", ":set cursorline cursorcolumn\r"),
    ("key", "5j"), ("key", "5l"), ("key", ":set hlsearch\r"),
    ("key", "/s\r"), ("key", ":help\r"), ("key", f"{CTRL['F']}"),
    ("key", ":qa!\r"), ("end",))

VIM_SPLIT = calm(
    ("wait", "stdio"), ("key", ":split prose.txt\r"), ("key", ":vsplit\r"),
    ("key", "50G"), ("resize", 60, 20), ("key", f"{CTRL['W']}w"),
    ("key", "G"), ("resize", 132, 40), ("key", f"{CTRL['W']}="),
    ("key", ":terminal\r"), ("wait", r"\$"), ("text", "ls\r"),
    ("resize", 80, 24), ("text", "exit\r"), ("key", ":qa!\r"), ("end",))

NVIM_EDIT = calm(
    ("wait", "stdio"), ("key", ":set number\r"), ("key", "12G"), ("key", "o"),
    ("text", "printf(\"日本 %d\\n\", 7);"), ("key", ESC), ("key", "yy3p"),
    ("key", "V}"), ("key", "="), ("key", ":%s/printf/puts/c\r"),
    ("key", "y"), ("key", "n"), ("key", "q"), ("key", ":vnew\r"),
    ("key", "i"), ("text", "hello"), ("key", ESC), ("key", ":qa!\r"), ("end",))

NVIM_RESIZE = calm(
    ("wait", "Line 1"), ("key", ":set wrap number relativenumber\r"),
    ("key", f"{CTRL['F']}"), ("key", f"{CTRL['F']}"), ("resize", 90, 30),
    ("key", "zz"), ("key", "/meadow\r"), ("key", "n"), ("resize", 180, 50),
    ("key", ":split\r"), ("key", f"{CTRL['B']}"), ("resize", 200, 60),
    ("key", ":qa!\r"), ("end",))

NANO_EDIT = calm(
    ("wait", "GNU nano"), ("text", "// typed by hand\r"), ("key", DOWN * 12),
    ("key", CTRL["K"]), ("key", CTRL["U"] * 2), ("key", CTRL["W"]),
    ("text", "square\r"), ("resize", 60, 18), ("key", CTRL["V"]),
    ("resize", 100, 28), ("key", f"{ESC}#"), ("key", CTRL["_"]),
    ("text", "3\r"), ("key", CTRL["X"]), ("key", "n"), ("end",))

EMACS_EDIT = calm(
    ("wait", "main.c"), ("key", CTRL["N"] * 6), ("key", CTRL["E"]),
    ("text", " /* 漢字 */\r"), ("key", CTRL["S"]), ("text", "square"),
    ("key", CTRL["S"]), ("key", "\r"), ("key", CTRL["X"] + "2"),
    ("key", CTRL["X"] + "o"), ("key", CTRL["V"]), ("key", f"{ESC}x"),
    ("text", "list-colors-display\r"), ("wait", "colou?r|black"), ("quiet",),
    ("key", CTRL["X"] + CTRL["C"]), ("wait", "ave"), ("key", "n"),
    ("key", "yes\r"), ("end",))

EMACS_RESIZE = calm(
    ("wait", "prose"), ("key", CTRL["V"]), ("resize", 70, 20),
    ("key", CTRL["V"]), ("key", CTRL["X"] + "3"), ("resize", 140, 45),
    ("key", CTRL["X"] + "o"), ("key", f"{ESC}>"), ("resize", 100, 30),
    ("key", CTRL["X"] + CTRL["C"]), ("end",))

# Pagers.

LESS_SEARCH = calm(
    ("wait", "Line 1:"), ("key", " "), ("key", " "), ("key", "/meadow\r"),
    ("key", "n"), ("key", "n"), ("key", "N"), ("key", "b"), ("key", "b"),
    ("key", "G"), ("key", "k" * 5), ("key", "y"), ("key", "150g"),
    ("key", "-S\r"), ("key", RIGHT), ("key", LEFT), ("key", "&漢\r"),
    ("key", "h"), ("key", "q"), ("key", "q"), ("end",))

LESS_RESIZE = calm(
    ("wait", "Line 1:"), ("key", " "), ("resize", 50, 15), ("key", " "),
    ("key", "j" * 4), ("resize", 120, 35), ("key", "k" * 6),
    ("resize", 80, 24), ("key", "G"), ("key", "q"), ("end",))

MAN_PAGE = calm(
    ("wait", "LS"), ("key", " "), ("key", " "), ("key", "/--color\r"),
    ("key", "n"), ("key", "b"), ("key", "G"), ("key", "q"), ("end",))

GIT_DIFF = calm(
    ("wait", "diff --git"), ("key", " "), ("key", "/COUNT|long\r"),
    ("resize", 70, 20), ("key", "k"), ("key", "q"), ("end",))

GIT_LOG_RESIZE = calm(
    ("wait", r"\*"), ("key", " "), ("resize", 60, 20), ("key", "b"),
    ("resize", 120, 30), ("key", "G"), ("key", "q"), ("end",))

# Monitors.

HTOP = (
    ("wait", "PID"), ("more", 3000), ("key", "t"), ("more", 2000),
    ("key", DOWN * 3), ("more", 1500), ("key", F3), ("text", "sleep"),
    ("more", 1000), ("key", ESC), ("more", 1500), ("key", F10), ("end",))

HTOP_RESIZE = (
    ("wait", "PID"), ("more", 4000), ("resize", 100, 30), ("more", 4000),
    ("key", "H"), ("more", 2000), ("resize", 60, 20), ("more", 3000),
    ("resize", 160, 50), ("more", 5000), ("key", "q"), ("end",))

TOP = (
    ("wait", "PID"), ("more", 2000), ("key", "1"), ("more", 2000),
    ("key", "z"), ("more", 3000), ("key", "x"), ("more", 3000),
    ("key", "c"), ("more", 3000), ("key", "q"), ("end",))

WATCH = (
    ("wait", "Every"), ("more", 1500), ("resize", 60, 16), ("more", 1500),
    ("resize", 80, 24), ("more", 2500), ("key", CTRL["C"]), ("end",))

# File managers, multiplexers, dialogs.

MC = calm(
    ("wait", "Quit"), ("quiet",), ("key", APP_DOWN * 4), ("key", "\r"),
    ("key", "\t"), ("key", APP_DOWN * 13), ("key", F3), ("key", PAGE_DOWN),
    ("key", F3), ("key", F9), ("key", APP_RIGHT), ("key", APP_DOWN * 3),
    ("key", ESC + ESC), ("key", F5), ("key", ESC + ESC), ("key", F10),
    ("end",))

MC_RESIZE = calm(
    ("wait", "Quit"), ("quiet",), ("key", APP_DOWN * 6), ("resize", 70, 20),
    ("key", "\t"), ("key", PAGE_DOWN), ("resize", 140, 40),
    ("key", F9), ("resize", 100, 30), ("key", ESC + ESC), ("key", F10),
    ("end",))

PREFIX = CTRL["B"]

TMUX_SPLITS = calm(
    ("wait", r"\$"), ("text", "ls --color=always\r"), ("key", PREFIX + "%"),
    ("text", "seq 1 40\r"), ("key", PREFIX + '"'),
    ("text", "python3 gradient.py\r"), ("key", PREFIX + "o"),
    ("text", "python3 unicode.py\r"), ("key", PREFIX + "z"),
    ("key", PREFIX + "z"), ("key", PREFIX + "["), ("key", PAGE_UP),
    ("key", "q"), ("key", PREFIX + "c"), ("text", "echo window two\r"),
    ("key", PREFIX + "0"), ("key", PREFIX + "t"), ("key", "q"),
    ("key", PREFIX + "&"), ("key", "y"), ("text", "exit\r"), ("end",))

TMUX_RESIZE = calm(
    ("wait", r"\$"), ("key", PREFIX + '"'), ("text", "cat prose.txt\r"),
    ("key", PREFIX + "%"), ("text", "python3 unicode.py\r"),
    ("resize", 80, 24), ("text", "ls -l --color\r"), ("resize", 120, 40),
    ("key", PREFIX + " "), ("resize", 200, 60), ("key", PREFIX + "d"),
    ("end",))

WHIPTAIL = calm(
    ("wait", "Favourite"), ("key", DOWN * 3), ("key", UP), ("key", "\r"),
    ("wait", "Toppings"), ("key", " "), ("key", DOWN), ("key", " "),
    ("key", "\t"), ("key", "\r"), ("wait", "name"), ("text", "Grace 漢字"),
    ("key", "\r"), ("wait", "Really"), ("key", "\t"), ("key", "\r"), ("end",))

WHIPTAIL_SCRIPT = r"""
cat > menu.sh <<'END'
whiptail --title 'A menu' --menu 'Favourite fruit?' 16 60 6 a Apple b Banana c Cherry d 'Dragon fruit' e Elderberry f Fig
whiptail --checklist 'Toppings' 14 50 4 cheese 'Grated' on ham 'Smoked' off mushroom 'Fresh' off
whiptail --inputbox 'Your name, please' 10 50 nobody
whiptail --yesno 'Really and truly?' 8 40
END
cat > gauge.sh <<'END'
for i in $(seq 0 4 100); do
	printf 'XXX\n%d\nCopying file %d of 25\nXXX\n' $i $((i / 4))
	read -t 0.02 < <(:)
done | whiptail --title Progress --gauge 'Copying' 8 60 0
whiptail --msgbox 'All done.' 8 40
END
"""

GAUGE = (("wait", "All done"), ("quiet",), ("key", "\r"), ("end",))

FZF_FULL = calm(
    ("wait", "300/300"), ("text", "fox"), ("text", " meadow"),
    ("key", UP * 3), ("key", CTRL["W"]), ("text", "漢"), ("key", "\t"),
    ("key", DOWN), ("key", "\t"), ("key", "\r"), ("end",))

FZF_INLINE = calm(
    ("wait", "300/300"), ("text", "Line 1"), ("resize", 50, 20),
    ("key", UP * 2), ("text", "7"), ("resize", 90, 24),
    ("key", "\x7f"), ("key", "\r"), ("end",))

# Shells and languages.

BASH_READLINE = calm(
    ("wait", r"\$ "), ("text", "echo hello world"), ("key", CTRL["A"]),
    ("key", f"{ESC}f"), ("text", " brave new"), ("key", CTRL["E"]),
    ("key", "\r"), ("key", CTRL["R"]), ("text", "brave"), ("key", "\r"),
    ("text", "printf '%s\\n' one two three four five six seven eight nine "
             "ten eleven twelve thirteen fourteen | cat -n"),
    ("key", CTRL["A"]), ("key", RIGHT * 4), ("key", CTRL["T"]),
    ("key", CTRL["_"]), ("key", CTRL["E"]), ("key", "\r"),
    ("key", UP), ("key", UP), ("key", UP), ("key", DOWN * 2), ("key", "\r"),
    ("text", "echo 漢字かな交じり文を長く長く書いて行の終わりを越えてゆくと折り返すはずです"),
    ("key", LEFT * 10), ("key", "X"), ("key", "\x7f"), ("key", "\r"),
    ("text", "ls /usr/in"), ("key", "\t"), ("key", "\r"),
    ("text", "ls --color=always -C /usr/share/doc | head -40\r"),
    ("key", CTRL["L"]), ("text", "exit\r"), ("end",))

BASH_RESIZE = calm(
    ("wait", r"\$ "), ("text", "head -12 prose.txt\r"),
    ("text", "echo a command line that is so long that it needs at least "
             "two rows, and soon three"),
    ("resize", 50, 24), ("text", " more"), ("resize", 40, 12),
    ("key", "\r"), ("text", "seq 1 30 | paste -s -d,\r"),
    ("resize", 120, 30), ("text", "tail -5 prose.txt\r"),
    ("resize", 60, 24), ("text", "vi -u NONE prose.txt\r"),
    ("resize", 80, 30), ("key", ":q\r"), ("resize", 80, 24),
    ("text", "exit\r"), ("end",))

PYTHON = calm(
    ("wait", ">>> "), ("text", "for i in range(12):\r"),
    ("text", "    print(i, 'x' * i * 9)\r"), ("text", "\r"),
    ("text", "import sys\r"), ("text", "1/0\r"), ("resize", 50, 24),
    ("text", "'日本語' * 20\r"), ("text", "help(len)\r"),
    ("resize", 100, 20), ("key", UP), ("key", UP), ("key", CTRL["A"]),
    ("key", CTRL["K"]), ("text", "sys.pa"), ("key", "\t"), ("key", CTRL["U"]),
    ("text", "print('done')\r"), ("key", CTRL["D"]), ("end",))

NODE = calm(
    ("wait", "> "), ("text", "const a = [1, 'two', {three: 3}]\r"),
    ("text", "a\r"), ("text", "Array.from({length: 120}, (_, i) => i * i)\r"),
    ("text", "new Map([['k', new Set('日本語')]])\r"),
    ("text", "function f(n) {\r"), ("text", "  return n\r"), ("text", "}\r"),
    ("text", "f.toS"), ("key", "\t"), ("text", "()\r"),
    ("text", "throw new Error('no')\r"), ("key", UP), ("key", UP),
    ("key", CTRL["A"]), ("text", "1 + "), ("key", CTRL["C"]),
    ("text", "Math."), ("key", "\t\t"), ("key", CTRL["C"]),
    ("text", ".exit\r"), ("end",))

# Games never rest, so their steps wait for an amount of output.

ROBOTS = calm(
    ("wait", "Directions"), *[("key", k) for k in "hjklyubnwthjjllkkttw>"],
    ("key", "q"), ("wait", "eally|quit"), ("key", "y"), ("end",))

WORM = tuple(step for k in "llljjjhhhjjlllkkklllLJHJLLK"
             for step in (("key", k), ("more", 5))) + (("key", CTRL["C"]), ("end",))

TETRIS = (("more", 800),) + tuple(
    step for k in "jjkl jll k jjj lll kj l " for step in (("key", k), ("more", 60))
) + (("key", "q"), ("wait", "RETURN"), ("key", CTRL["C"]), ("end",))

INVADERS = (("more", 500), ("key", " "), ("more", 1500)) + tuple(
    step for k in (LEFT, " ", LEFT, RIGHT, " ", RIGHT) * 3
    for step in (("key", k), ("more", 250))) + (("key", "q"), ("more", 10))

# Our own programs.

AGENT = calm(
    ("wait", "ready"), ("text", "please fix the parser"), ("key", "\r"),
    ("text", "and now 漢字 too"), ("key", "\r"),
    ("key", f"{ESC}[I"), ("text", "/quit"), ("key", "\r"), ("end",))

AGENT_QUIT = (("key", "\x7f" * 40), ("quiet",), ("text", "/quit"),
              ("key", "\r"), ("end",))

AGENT_STATUS = calm(
    ("wait", "ready"), ("text", "say hello"), ("key", "\r"),
    ("wait", "approve Bash"), ("key", "1"), ("wait", "Which greeting"),
    ("key", "1"), ("wait", "Said hello"), ("text", "/quit"), ("key", "\r"),
    ("end",))

AGENT_RESIZE = (
    ("wait", "ready"), ("text", "please fix the parser"), ("key", "\r"),
    ("more", 6000), ("resize", 60, 24), ("more", 6000), ("resize", 44, 18),
    ("more", 6000), ("resize", 110, 30), ("quiet",), ("text", "again"),
    ("resize", 72, 24), ("quiet",), ("key", "\r"), ("more", 9000),
    ("resize", 100, 24), ("quiet",)) + AGENT_QUIT

END = (("end",),)
STAY = ("resize", 50, 24), ("quiet",), ("resize", 31, 24), ("quiet",), \
    ("resize", 120, 24), ("quiet",), ("resize", 80, 30), ("quiet",)

UNICODE_RESIZE = (("wait", "that was all"), ("quiet",), *STAY, ("key", "\r"),
                  ("end",))

VIM = ("vim", "--clean", "-c", "syntax on", "main.c")
NO_MESSAGES = {"LESSHISTFILE": "-", "npm_config_update_notifier": "false"}
PAGER = {"GIT_PAGER": "less -R", "LESSHISTFILE": "-"}

RECIPES = {
    "vim-edit": Recipe(VIM, VIM_EDIT, setup=SOURCE),
    "vim-visual": Recipe(VIM, VIM_VISUAL, WIDE, SOURCE),
    "vim-split-resize": Recipe(VIM, VIM_SPLIT, ODD, SOURCE + PROSE),
    "nvim-edit": Recipe(("nvim", "--clean", "main.c"), NVIM_EDIT, setup=SOURCE),
    "nvim-resize": Recipe(("nvim", "--clean", "prose.txt"), NVIM_RESIZE, WIDE,
                          PROSE),
    "nano-resize": Recipe(("nano", "-l", "main.c"), NANO_EDIT, setup=SOURCE),
    "emacs-edit": Recipe(("emacs", "-nw", "-Q", "main.c"), EMACS_EDIT,
                         setup=SOURCE),
    "emacs-resize": Recipe(("emacs", "-nw", "-Q", "prose.txt"), EMACS_RESIZE,
                           ODD, PROSE),
    "less-search": Recipe(("less", "prose.txt"), LESS_SEARCH, setup=PROSE,
                          env=NO_MESSAGES),
    "less-resize": Recipe(("less", "-N", "prose.txt"), LESS_RESIZE,
                          setup=PROSE, env=NO_MESSAGES),
    "man-page": Recipe(("man", "ls"), MAN_PAGE, env=NO_MESSAGES),
    "htop": Recipe(("bash", "run.sh", "htop", "-d", "5"), HTOP,
                   setup=PROCESSES),
    "htop-resize": Recipe(("bash", "run.sh", "htop", "-d", "5"), HTOP_RESIZE,
                          WIDE, PROCESSES),
    "top": Recipe(("bash", "run.sh", "top", "-d", "0.4"), TOP,
                  setup=PROCESSES),
    "watch-resize": Recipe(
        ("watch", "-n", "0.3", "-d", "-c", "ls -l --color=always; date +%N"),
        WATCH, setup=FILES),
    "mc": Recipe(("mc", "-u"), MC, setup=FILES),
    "mc-resize": Recipe(("mc", "-u"), MC_RESIZE, ODD, FILES),
    "tmux-splits": Recipe(
        ("tmux", "-L", "demo", "-f", "/dev/null", "new", "-s", "work",
         "bash --norc"), TMUX_SPLITS, setup=FILES),
    "tmux-resize": Recipe(
        ("tmux", "-L", "demo", "-f", "/dev/null", "new", "-s", "work",
         "bash --norc"), TMUX_RESIZE, WIDE, FILES),
    "whiptail-menu": Recipe(("bash", "menu.sh"), WHIPTAIL,
                            setup=WHIPTAIL_SCRIPT),
    "whiptail-gauge": Recipe(("bash", "gauge.sh"), GAUGE,
                             setup=WHIPTAIL_SCRIPT),
    "fzf-full": Recipe(
        ("bash", "-c", "fzf --multi --preview 'echo {}' < prose.txt"),
        FZF_FULL, setup=PROSE),
    "fzf-inline-resize": Recipe(
        ("bash", "-c", "fzf --height 40% --border < prose.txt"), FZF_INLINE,
        setup=PROSE),
    "git-log-graph": Recipe(
        ("git", "--no-pager", "log", "--graph", "--all", "--stat", "--color",
         "--decorate"), END, setup=REPOSITORY),
    "git-log-resize": Recipe(
        ("git", "log", "--graph", "--all", "--oneline", "--color", "-p"),
        GIT_LOG_RESIZE, setup=REPOSITORY, env=PAGER),
    "git-diff-less": Recipe(
        ("git", "diff", "--color", "--word-diff", "HEAD~10"), GIT_DIFF, ODD,
        REPOSITORY, PAGER),
    "gcc-errors": Recipe(
        ("bash", "-c", "for f in broken.c broken.cc; do gcc -Wall -Wextra "
         "-fdiagnostics-color=always -fdiagnostics-urls=always -c $f; done"),
        END, setup=BROKEN, limit=60_000),
    "npm-install": Recipe(
        ("bash", "-c", "npm install --offline --no-audit --no-fund --progress=true "
         "--loglevel=http ./*/*.tgz; npm uninstall --offline --no-audit alpha; "
         "npm ls; npm explain beta; npm pack --dry-run ./gamma"),
        END, setup=PACKAGES, env=NO_MESSAGES),
    "npm-pack": Recipe(
        ("bash", "-c", "cd alpha && npm pack && npm ls && npm test; npm run"),
        END, setup=PACKAGES, env=NO_MESSAGES),
    "apt-progress": Recipe(
        ("bash", "-c", "apt-get -y -o Dpkg::Progress-Fancy=1 -o "
         "APT::Sandbox::User=root install ./*.deb && apt-get -y -o "
         "Dpkg::Progress-Fancy=1 purge demo-alpha demo-beta"), END,
        setup=DEBS, root=True, env={"DEBIAN_FRONTEND": "noninteractive"}),
    "bash-readline": Recipe(("bash", "--norc", "--noprofile"), BASH_READLINE),
    "bash-resize": Recipe(("bash", "--norc", "--noprofile"), BASH_RESIZE,
                          setup=PROSE),
    "python-resize": Recipe(("/usr/bin/python3",), PYTHON,
                            env={"PAGER": "cat"}),
    "node-repl": Recipe(("node",), NODE, ODD),
    "game-robots": Recipe(("robots",), ROBOTS),
    "game-worm": Recipe(("worm",), WORM),
    "game-tetris": Recipe(("tetris-bsd",), TETRIS),
    "game-invaders": Recipe(("ninvaders",), INVADERS),
    "unicode-page": Recipe(("python3", "unicode.py"), END),
    "unicode-resize": Recipe(("python3", "unicode.py", "--stay"),
                             UNICODE_RESIZE),
    "gradient": Recipe(("python3", "gradient.py"), END, WIDE),
    "agent": Recipe(("python3", "agent.py"), AGENT),
    "agent-wide": Recipe(("python3", "agent.py"), AGENT, WIDE),
    "agent-status": Recipe(("python3", "asking.py"), AGENT_STATUS),
    "agent-resize": Recipe(("python3", "agent.py"), AGENT_RESIZE, limit=95_000),
}
