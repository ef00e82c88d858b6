"""Where we differ from the real xterm, on purpose.

Each difference has a name, the reason, a stream that shows it and the case in
tests/vt that pins our behaviour.  Where xterm is plainly wrong the reason
begins with "wrong:".  The comparison allows for it in one of these ways:

  TAUGHT      xterm gets other bytes, by which it does as we do
  NORMALISED  the difference is taken out of what both show
  LEFT_OUT    the streams of xterm_streams.py do not have it

To add one: a row here, its case in tests/vt, and the code that allows for it.
`xterm_compare.py --subject … policies` fails if an example no longer differs.
"""

from policies import LEFT_OUT, NORMALISED, TAUGHT, Policy


def policy(name, how, reason, pinned, example, size=(10, 4)):
    return Policy(name, how, reason, pinned, (example.encode(),), size)


POLICIES = (
    # Characters.
    policy("wide_leaves_a_pad", TAUGHT,
           "a wide character that finds no room before the edge leaves a blank "
           "there, as in xterm.js, so that a resize can tell it from text; "
           "xterm leaves what was there",
           "At the last column it goes to the next row and leaves a pad",
           "\x1b[10Gx\x1b[10G\u6f22"),
    policy("wide_is_whole", NORMALISED,
           "wrong: ICH leaves half of a wide character in the last column",
           "Pushed half over the margin, it goes",
           "12345678\u6f22\x1b[H\x1b[@"),
    policy("wide_is_cut_cleanly", LEFT_OUT,
           "wrong: DCH through a wide character loses the last column; columns "
           "that are shifted, side margins and protection leave halves",
           "DCH of the left half blanks the right half",
           "\u6f22\u5b57\u304b\u306a x\x1b[H\x1b[3P"),
    policy("half_at_the_edge", NORMALISED,
           "wrong: the blank that is left of a wide character which is cut in "
           "the last column has its own background or that of the pen, which "
           "depends on the width of the screen",
           "A blanked half takes only the background of it",
           "\x1b[11G\u6f22\x1b[12G\x1b[43mx", (12, 5)),
    policy("rep_repeats_clusters", LEFT_OUT,
           "REP repeats a character with its marks",
           "A cluster is repeated whole", "e\u0301\x1b[b"),
    policy("c1_in_utf8", LEFT_OUT,
           "U+0080 to U+009F are controls, as in xterm.js; xterm shows them",
           "RI as U+008D", "a\r\n\u008db"),
    policy("charsets_are_for_ascii", LEFT_OUT,
           "wrong: with a graphic set as G2, a wide character moves by three "
           "columns",
           "SS2 takes one character from G2", "\x1b*0\u6f22"),

    # The pen.
    policy("hidden_text_is_text", LEFT_OUT,
           "SGR 8 hides the text that a cell has; xterm writes blanks",
           "SGR 8 conceals", "\x1b[8mx"),
    policy("one_underline", LEFT_OUT,
           "the last underline replaces the one before; xterm keeps both and "
           "draws the double one",
           "SGR 4 after 21 is a single line", "\x1b[21m\x1b[4mx"),
    policy("blank_cells", NORMALISED,
           "a cell without text has a background and nothing else",
           "A blanked half takes only the background of it",
           "\x1b[4m\u6f22\x1b[2Gx"),
    policy("decstr_resets_all_flags", LEFT_OUT,
           "wrong: DECSTR leaves faint, italic and strike on",
           "DECSTR ends faint, italic and strike", "\x1b[2m\x1b[!px"),

    policy("restored_colours_stay", LEFT_OUT,
           "wrong: after DECRC to a pen without a background, SGR 7 or 27 "
           "brings the background back that was there before",
           "DECRC ends a background for good", "\x1b[42m\x1b8\x1b[27mx"),
    policy("decaln_keeps_the_pen", LEFT_OUT,
           "DECALN does not change what is written after it; in xterm it ends "
           "bold, underline and the like, but no colour",
           "DECALN draws without colours and attributes, and leaves the pen",
           "\x1b[1m\x1b#8x"),

    policy("selective_erase_ends_waiting", LEFT_OUT,
           "a wrap that waits is ended by DECSEL and DECSED as by EL and ED, "
           "also when the character in the last column is protected and stays",
           "DECSEL ends a waiting wrap also behind protected text",
           "\x1b[1\"q0123456789\x1b[?1K"),
    policy("guarded_after_an_erase", LEFT_OUT,
           "wrong: a screen that was erased with nothing guarded on it lets "
           "DECSEL erase what is guarded later, until the next SPA",
           "DECSEL spares what SPA guards, also after the screen was erased",
           "\x1bV\x1b[2Jx\x1b[?2K"),
    policy("decstr_ends_protection", LEFT_OUT,
           "DECSTR ends the protection of what is on the screen; in xterm it "
           "comes back with the next DECSCA",
           "DECSTR ends protection also for a DECSCA after it",
           "\x1b[1\"qx\x1b[!p\x1b[0\"q\x1b[?2J"),
    policy("pen_keeps_last_char", LEFT_OUT,
           "colours between a character and REP do not matter",
           "REP after a colour repeats in that colour", "a\x1b[m\x1b[bx"),

    # Screens and margins.
    policy("restore_waits_at_an_edge", LEFT_OUT,
           "a wrap that was saved waits again only where it could: in the last "
           "column, or at the right margin of now",
           "DECRC to a column that is another margin's now does not wait",
           "\x1b[?69h\x1b[1;5sabcde\x1b7\x1b[1;8s\x1b8X"),
    policy("alternate_is_empty", LEFT_OUT,
           "the alternate screen is empty whenever it is entered, also by 47",
           "The alternate screen of 47 is empty when it is entered again",
           "\x1b[?47hx\x1b[?47l\x1b[?47h"),
    policy("su_keeps_to_the_region", LEFT_OUT,
           "wrong: without jump scroll, SU by all rows of a region clears the "
           "whole screen",
           "SU past the height clears", "x\x1b[2;4r\x1b[3S"),
    policy("insert_decides_by_character", LEFT_OUT,
           "wrong: in mode 4, whether text that is not ASCII is inserted is "
           "decided where a run of it begins, also when it crosses a margin",
           "Left of the left margin, and right of the right one, mode 4 does "
           "not insert",
           "abc\x1b[?69h\x1b[3;8s\x1b[4h\u00a3\u00a3\u00a3"),
    policy("reverse_wrap_stops_at_home", LEFT_OUT,
           "with mode 45, BS at the first cell stays; xterm did so again after "
           "this version",
           "BS with mode 45 does not go back where no wrap was",
           "\x1b[?45h\b"),

    # Rectangles.
    policy("rectangle_colours", LEFT_OUT,
           "wrong: DECERA and DECFRA keep the old colours of a cell when the "
           "pen has none, and DECCRA spoils those it copies",
           "DECERA with no background ends that of the cells", "\x1b[41mx\x1b[m\x1b[$z"),
    policy("rectangle_is_not_protected", LEFT_OUT,
           "wrong: DECERA protects what it erases while DECSCA is on",
           "DECERA protects nothing",
           "\x1b[1\"q\x1b[1;1;1;1$z\x1b[42m\x1b[?K"),
    policy("rectangle_origin", LEFT_OUT,
           "wrong: in origin mode the margin is added twice to a number that "
           "is left out",
           "DECFRA in origin mode may leave out numbers",
           "\x1b[?69h\x1b[4;9s\x1b[?6h\x1b[65;1;;1;9$x"),
)
