"""Where we differ from the oracle on purpose, and where it is wrong.

Each difference has a name, the reason, and the case in tests/vt that pins our
behaviour.  The comparison allows for it in one of these ways:

  TAUGHT      the oracle is made to do as we do (teach.mjs has a lesson of
              the same name), so that all around it is still compared;
              `example` is a stream that differs without the lesson
  NORMALISED  a function below takes the difference out of both dumps, or
              oracle.mjs out of all that it writes
  RESIZED     right after a change of size only the text is compared
              (reflow.py), then the oracle gets our arrangement of it
  LEFT_OUT    neither recordings nor generated streams have it

To add one: a row here, its case in tests/vt, and the lesson or function.
`compare.py --subject … policies` checks that they belong together.
"""

import dataclasses
import pathlib
from typing import Callable, Optional

TAUGHT, NORMALISED, RESIZED, LEFT_OUT = "taught", "normalised", "resized", "left out"


@dataclasses.dataclass(frozen=True)
class Policy:
    name: str
    how: str
    reason: str
    pinned: str                 # heading of a case in tests/vt
    example: tuple = ()         # bytes, or (cols, rows) to resize to
    size: tuple = (10, 4)
    normalise: Optional[Callable] = None


def vt_cases():
    """The headings of all cases of tests/vt."""
    folder = pathlib.Path(__file__).resolve().parents[1] / "vt"
    return {line[1:].strip() for path in folder.glob("*.test")
            for line in path.read_text().splitlines() if line[:1] == "!"}


def taught(name, reason, pinned, *example, size=(10, 4)):
    events = [e.encode() if isinstance(e, str) else e for e in example]
    return Policy(name, TAUGHT, reason, pinned, tuple(events), size)


def has_text(row):
    return len(row["t"]) > sum(end - start for start, end in row["e"])


def primary_rows(dump):
    return dump["hidden" if dump["alt"] else "lines"]


def drop_empty_rests(oracle, ours):
    rows = oracle["scrollback"]
    goes_on = primary_rows(oracle)[0]["w"]
    for i in range(len(rows) - 1, 0, -1):
        if rows[i]["w"] and not goes_on and not has_text(rows[i]):
            del rows[i]
        else:
            goes_on = rows[i]["w"]


def drop_pad_colours(oracle, ours):
    for dump in (oracle, ours):
        rows = dump["scrollback"] + primary_rows(dump)
        for row, following in zip(rows, rows[1:]):
            starts_wide = following["c"] and following["c"][0][:2] == [0, 2]
            if following["w"] and starts_wide:
                drop_last_colour(row, dump["cols"] - 1)


def drop_last_colour(row, x):
    """Make an empty cell in the last column x one of the default colour."""
    if not row["e"] or row["e"][-1][1] != x + 1:
        return
    row["s"] = [[start, min(end, x), *style]
                for start, end, *style in row["s"] if start < x]
    end = max([run[1] for run in row["s"]] + [row["e"][-1][0]])
    row["t"] = row["t"][:len(row["t"]) - (x + 1 - end)]
    row["e"][-1][1] = end
    if row["e"][-1][0] == end:
        row["e"].pop()


POLICIES = (
    # The pen.
    taught("sgr_6_blinks",
           "xterm and VTE blink for SGR 6; the oracle ignores it",
           "SGR 6 blinks as well", "\x1b[6mx"),
    taught("sgr_incomplete",
           "a colour whose numbers are missing or above 255 is no colour; the "
           "oracle takes what is missing for 0, and paints the text black.  "
           "Of an unknown kind only its number is taken, as in xterm",
           "SGR 38 whose numbers are missing changes nothing", "\x1b[38;5mx"),
    taught("sgr_colon_without_space",
           "38:2:r:g:b without the colour space is what many programs send; "
           "the oracle reads r as the space and gives another colour",
           "SGR 38 with colons, with and without a colour space",
           "\x1b[38:2:1:2:3mx"),
    taught("sgr_empty_underline",
           "an empty sub-parameter is 0 like an empty parameter, so 4: is no "
           "underline",
           "SGR 4 with an unknown kind is a single line, with an empty one none",
           "\x1b[4m\x1b[4:mx"),
    taught("sgr_0_keeps_protection",
           "protection is no rendition: DECSCA sets it, and DECSCA ends it",
           "The pen's protection and link are not of SGR and stay",
           "\x1b[1\"q\x1b[mx"),

    # Characters.
    taught("zwj_needs_emoji",
           "GB11 of UAX #29 joins a pictograph behind a ZWJ to a pictograph; "
           "the oracle joins it to anything",
           "A pictograph joins by ZWJ to a pictograph only", "a\u200d\U0001f467"),
    taught("selector_needs_emoji",
           "VS16 asks for the emoji form of what has one; the oracle makes "
           "any character two columns wide",
           "VS16 does not widen what is no emoji", "a\ufe0f"),
    taught("ascii_never_joins",
           "a stray prepended sign must not swallow what a program lays out "
           "after it",
           "ASCII after a prepended sign is a character of its own", "\u0600a"),
    taught("marks_do_not_widen",
           "a mark stands over its base and takes no column, also when its "
           "block is East Asian",
           "A mark does not widen its character, whatever its script", "a\u3099"),
    taught("no_width_is_not_shown",
           "what has no width and nothing to join (ZWSP, BOM, a lone mark) "
           "takes no column; the oracle gives it one",
           "ZWSP and BOM are not shown", "a\u200bb"),
    taught("pen_keeps_last_char",
           "colours and titles in the middle of a character do not tear its "
           "marks off, nor end what REP repeats",
           "A mark after a colour still joins, in the style of its character",
           "a\x1b[m\u0301"),
    taught("rep_repeats_apart",
           "REP repeats a character, also twice in a row, and two copies are "
           "two characters",
           "REP may follow REP", "ab\x1b[2b\x1b[2b"),
    taught("resize_forgets_last_char",
           "after a resize the last character may be anywhere",
           "A mark after a resize has nothing to join", "a", (10, 5), "\u0301"),
    Policy("newer_unicode", LEFT_OUT,
           "the oracle's tables are of an older Unicode than ours: marks of "
           "then unknown scripts, and newer emoji (code_points())",
           "Emoji of Unicode 15 are wide"),
    Policy("cluster_of_sixteen", LEFT_OUT,
           "everything that grows has a limit: the oracle's clusters do not",
           "A cluster keeps sixteen code points and drops the rest"),

    # Cells without text.
    Policy("blank_cells", NORMALISED,
           "a cell without text has a background and nothing else; the oracle "
           "gives the whole pen to pads, to cut halves of wide characters and "
           "to what IRM inserts (oracle.mjs leaves it out of every dump)",
           "A blanked half takes only the background of it"),
    taught("halves_end_together",
           "wrong: ICH on the right half of a wide character leaves a half "
           "that takes no column at all",
           "ICH on the right half of a wide character blanks both",
           "\u6f22b\x1b[2G\x1b[@"),
    taught("sd_takes_background",
           "SD fills with the background as every other scroll does, and as "
           "xterm does",
           "SD fills with the background", "\x1b[44m\x1b[T"),
    taught("decaln_resets_margins",
           "DECALN resets margins and origin as xterm does, and its pattern "
           "has no colours and no attributes",
           "DECALN resets the margins", "\x1b[4m\x1b#8"),

    # Wrapping.
    taught("wide_without_wrap",
           "wrong: without DECAWM a wide character that does not fit moves "
           "the cursor into the middle of another one, and whether its halves "
           "are cleared depends on where the input is cut; in xterm it takes "
           "the place of a wide one that it follows",
           "Without autowrap a narrow character cuts a wide one at the edge",
           "\x1b[9G\u6f22\x1b[?7la"),
    taught("wrap_in_place",
           "below the scroll region the last row wraps onto itself, and does "
           "not go on with the row above",
           "Below the scroll region, a wrap at the last row stays there",
           "\x1b[1;2r\x1b[4H0123456789ab"),
    taught("erase_ends_pending_wrap",
           "xterm's cursor is on the last column while a wrap waits: EL and "
           "ED erase its character, and end the waiting",
           "EL 2 while a wrap waits erases the row and ends the waiting",
           "0123456789\x1b[2Kx"),
    taught("shifting_keeps_pending_wrap",
           "columns are shifted at the last one while a wrap waits, and it "
           "waits on, as in xterm; DECDC works on column 0 in the oracle",
           "Shifting columns leaves a waiting wrap waiting",
           "0123456789\x1b['~x"),
    taught("clearing_the_screen_ends_pending_wrap",
           "xterm clears the alternate screen when 1049 enters and 1047 "
           "leaves it, which ends the waiting",
           "Switching screens with 1049 ends a waiting wrap, and brings it back",
           "0123456789\x1b[?1049hx"),
    taught("erase_above_at_the_edge",
           "wrong: ED 1 in the last column looks for the next row at an index "
           "without the scrollback, and throws when there is no row",
           "ED 1 in the last column ends the continuation of the next row",
           "\n\n\n\n\x1b[H0123456789ab\x1b[1;10H\x1b[1J"),
    taught("only_1049_paints_the_screen",
           "xterm clears the alternate screen with the background when 1049 "
           "enters it, also from there; 47 and 1047 do not clear it",
           "The alternate screen of 1047 has no background, that of 1049 has",
           "\x1b[44m\x1b[?1047h"),
    taught("margins_are_shared",
           "xterm has the margins once for both screens",
           "Margins go along to the other screen",
           "\x1b[2;3r\x1b[?1047h\x1b[?6hx"),

    Policy("cbt_while_a_wrap_waits", LEFT_OUT,
           "xterm's CBT moves the cursor and leaves the wrap waiting, in any "
           "column; the oracle knows a waiting wrap in the last one only",
           "CBT while a wrap waits goes back and leaves it waiting"),

    # The cursor.
    taught("origin_is_added_once",
           "wrong: in origin mode relative moves and CHA add the top margin "
           "once more, and the cursor drifts down",
           "Relative moves in origin mode stay between the margins",
           "\x1b[2;4r\x1b[?6h\x1b[1;2H\x1b[Cx"),
    taught("decsc_saves_all",
           "DECSC saves the row of the screen, which the oracle takes along "
           "when the text scrolls; and all of the pen, the character sets, "
           "origin mode and a waiting wrap",
           "DECSC keeps the row of the screen while the text scrolls",
           "\x1b[2H\x1b7\x1b[4H\n\n\x1b8x"),
    taught("tabs_are_shared",
           "tab stops belong to the terminal, not to one of its screens",
           "Both screens have the same tab stops",
           "\x1b[?47h\x1b[3g\x1b[?47l\tx"),
    taught("tabs_stay_on_resize",
           "a resize adds stops in the new columns, every 8; the oracle sets "
           "stops again that were cleared, and counts from the last one",
           "A resize brings back no tab stop that was cleared",
           "\x1b[3g", (10, 5), "\tx"),
    taught("left_and_right_margins",
           "the oracle does not know mode 69, which tmux uses; the lesson has "
           "what tmux needs",
           "SU keeps to the left and right margins",
           "abcdef\x1b[?69h\x1b[2;4s\x1b[S"),
    taught("c1_ri",
           "the oracle knows IND and NEL as C1, but not RI",
           "RI as U+008D", "a\r\n\u008db"),
    Policy("single_shifts", LEFT_OUT,
           "the oracle does not know SS2 and SS3",
           "SS2 takes one character from G2"),

    # Modes and resets.
    taught("ris_resets_all",
           "RIS shows the cursor, ends LNM and clears the title: a terminal "
           "as it was at the start",
           "RIS clears the titles", "\x1b]2;t\x07\x1bc"),
    taught("decstr_keeps_input_modes",
           "DECSTR resets what DEC lists; bracketed paste and focus events "
           "came later, and a shell that set them counts on them",
           "DECSTR keeps bracketed paste and focus events",
           "\x1b[?2004h\x1b[!p"),

    taught("decstr_ends_protection",
           "DECSTR ends the protection of all text, as in xterm",
           "DECSTR ends the protection of text",
           "\x1b[1\"qx\x1b[!p"),

    # The parser.
    Policy("sd_zero", LEFT_OUT,
           "CSI 0 T belongs to the mouse in xterm, and does not scroll",
           "SD without a number scrolls one, with 0 it is the mouse's and does not"),
    Policy("sub_parameters", LEFT_OUT,
           "a sequence with sub-parameters where none are known has no effect "
           "in xterm; the oracle leaves them out",
           "A sequence with sub-parameters where none are known has no effect"),
    taught("strings_take_utf8",
           "APC, PM and SOS are swallowed to their end; the oracle prints "
           "the rest of one that has UTF-8 in it",
           "APC with UTF-8 and controls in it is swallowed to its end",
           "\x1b_\u6f22x\x1b\\"),
    taught("strings_end_with_st",
           "a string that is cut off by ESC and something else never ended, "
           "and has no effect",
           "A string cut off by ESC and something else has no effect",
           "\x1b]2;t\x1b[mx"),
    Policy("text_in_a_sequence", LEFT_OUT,
           "a character that is not ASCII ends a sequence and is shown; the "
           "oracle loses it",
           "A character that is not ASCII ends a sequence and is shown"),

    # History and resizing.
    taught("oldest_row_continues_nothing",
           "the oldest row of the history has no row above to go on from",
           "The oldest row of the history continues nothing",
           "\x1b[H0123456789ab\x1b[H\x1b[M\x1b[4H\n"),
    Policy("empty_rest", NORMALISED,
           "the history holds lines, not rows: an erased rest of a line takes "
           "no row there",
           "The erased rest of a line takes no row in the history",
           normalise=drop_empty_rests),
    Policy("pad_colour", NORMALISED,
           "for the same reason the pad before a wide character is made anew "
           "in the history and by a resize, with that character's background",
           "A pad in the history has the background of its character",
           normalise=drop_pad_colours),
    Policy("history_counts_lines", LEFT_OUT,
           "the limit of the history counts lines, the oracle's rows",
           "History counts lines, however often they wrap"),
    Policy("reflow", RESIZED,
           "the oracle does not carry the cursor with its character, drops "
           "rows below it, and takes any empty cell before a wide character "
           "for a pad; we keep the cursor on its character and all text, and "
           "know what is a pad",
           "The cursor stays on its character"),
    taught("reflow_moves_clusters",
           "wrong: reflow copies the clusters of a whole row with each part "
           "of it, over others",
           "Clusters are not broken",
           "ab\x1b[8Gc\u0bae\u0bbf\u0bb4\u0bcd \u0bae\u0bbf\u0bb4\u0bcd",
           (9, 4)),
    taught("alt_is_cut",
           "a narrower alternate screen is cut; in the oracle what is beyond "
           "the edge comes back later, and is edited meanwhile",
           "A resize cuts the alternate screen and does not reflow it",
           "\x1b[?1049h0123456789", (5, 4), (10, 4)),
    taught("alt_has_no_scrollback",
           "wrong: a resize while the alternate screen is not shown gives it "
           "a scrollback",
           "The alternate screen has no history",
           (10, 2), "\x1b[?1047ha\r\nb\r\nc", (10, 3)),
    taught("resize_keeps_pending_wrap",
           "a change of height does not touch the column, nor a wrap that "
           "waits behind text in it",
           "A waiting wrap waits on when only the height changes",
           "0123456789", (10, 5)),
)


def normalise(oracle, ours):
    """Remove allowed differences from two dumps, in place."""
    for policy in POLICIES:
        if policy.normalise:
            policy.normalise(oracle, ours)


# Policy newer_unicode: assigned, or made wide, after the oracle's tables.
NEWER = """
    897 898-89f 8ca-8d2 c3c cf3 ece 1715 180f 1ac1-1ace 1acf-1add
    1ae0-1aeb 1dfa 10d69-10d6d 10efa-10efc 10efd-10eff 10f82-10f85 11070
    11073-11074 110c2 11241 113bb-113c0 113ce 113d0 113d2 113e1-113e2
    1171e 11720-11721 11b60 11b62-11b64 11b66 11f00-11f01 11f03
    11f34-11f35 11f36-11f3a 11f3e-11f3f 11f40 11f41 11f42 11f5a 13440
    13447-13455 1611e-16129 1612d-1612f 1aff0-1aff3 1aff5-1affb
    1affd-1affe 1b11f-1b122 1b132 1b155 1cf00-1cf2d 1cf30-1cf46 1e08f
    1e2ae 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5
    1f6dc-1f6df 1f7f0 1f979 1f9cc 1fa75-1fa77 1fa7b-1fa7c 1fa87-1fa88
    1faa9-1faaf 1fab7-1fabd 1fabf 1fac3-1fac5 1face-1facf 1fad7-1fadb
    1fae0-1fae8 1faf0-1faf8
"""


def code_points():
    """All code points that both know, in order."""
    newer = set()
    for run in NEWER.split():
        first, _, last = run.partition("-")
        newer.update(range(int(first, 16), int(last or first, 16) + 1))
    return [c for c in range(0xa0, 0x110000)
            if c not in newer and not 0xd800 <= c < 0xe000]
