#!/usr/bin/python3
"""Write the seeds of the fuzzers: one small session for each kind of input.

Run from anywhere; the files go to corpus/<target>/ beside this script.  Inputs
that a fuzzer finds later are kept there too, under a name that describes them.
"""
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
ESC = "\x1b"
CSI = ESC + "["
OSC = ESC + "]"
ST = ESC + "\\"

# The four bytes of options (played.h): a size and a kind of history.
def options(cols, rows, history, seed):
    return bytes([cols - 2, rows - 1, history, seed])


def resize(cols, rows):
    return bytes([0xFF, cols - 2, rows - 1])


def b(text):
    return text.encode()


SESSIONS = {
    "plain-lines": b("one\r\ntwo\r\nthree\r\n" * 12),
    "long-lines-wrap": b("a line that is longer than the screen is wide, " * 9),
    "wrap-pending": b("x" * 20 + "\b" + "y\r\n" + "z" * 40),
    "tabs": b(f"a\tb\tc{CSI}3g{CSI}5G{ESC}H\r\tx{CSI}2Z{CSI}I{CSI}?5W\ty"),
    "sgr-all": b("".join(f"{CSI}{n}m{n}" for n in [
        0, 1, 2, 3, 4, 5, 7, 8, 9, 21, 22, 23, 24, 25, 27, 28, 29, 31, 44, 53,
        55, 97, 104, "4:3", "4:5", "38;5;99", "48;5;200", "38;2;1;2;3",
        "48:2::9:8:7", "58;2;5;6;7", "58:5:12", 59, "1;4;31;42", ""])),
    "erase": b(f"{CSI}44m" + "abcdef\r\n" * 6 + f"{CSI}3;3H{CSI}K{CSI}1K{CSI}J"
               f"{CSI}1J{CSI}2X{CSI}2J{CSI}3J"),
    "edit": b("0123456789\r\n" * 5 + f"{CSI}2;4H{CSI}2@{CSI}3P{CSI}L{CSI}2M"
              f"{CSI}4hins{CSI}4l{CSI}2'}}{CSI}1'~{CSI}2 @{CSI} A"),
    "scroll-region": b(f"{CSI}2;5r" + "line\r\n" * 8 + f"{CSI}S{CSI}2T{ESC}M"
                       f"{ESC}D{ESC}E{CSI}r"),
    "side-margins": b(f"{CSI}?69h{CSI}3;9s{CSI}2;6r{CSI}?6h" + "margins " * 9
                      + f"{CSI}L{CSI}M{CSI}@{CSI}P{ESC}6{ESC}9{CSI}?6l"),
    "alternate-screen": b(f"before{CSI}?1049h{CSI}2Jinside{CSI}?1049lafter"
                          f"{CSI}?47hx{CSI}?47l{CSI}?1047hy{CSI}?1047l"),
    "saved-cursors": b(f"{CSI}31;1m{CSI}3;4H{ESC}7{CSI}0m{CSI}Hx{ESC}8y{CSI}s"
                       f"{CSI}5;5H{CSI}uz{CSI}?1048h{CSI}?1048l"),
    "protected": b(f'{CSI}1"qkeep{CSI}0"qdrop{CSI}?2K{CSI}?J{ESC}Vspa{ESC}W'),
    "charsets": b(f"{ESC}(0lqqk{ESC}(B{ESC})0\x0emqj\x0f{ESC}*0{ESC}Nq{ESC}+A"
                  f"{ESC}O#{ESC}n{ESC}o{ESC}(A#"),
    "links": b(f"{OSC}8;id=1;https://example.org/a{ST}link{OSC}8;;{ST} "
               f"{OSC}8;;file:///tmp{ST}two{OSC}8;;{ST}"),
    "titles": b(f"{OSC}0;both\a{OSC}1;icon{ST}{OSC}2;title{ST}{CSI}22t{OSC}2;x"
                f"\a{CSI}23t{OSC}7;file:///home{ST}"),
    "colours": b(f"{OSC}4;1;rgb:ff/00/80{ST}{OSC}4;1;?{ST}{OSC}10;#123456\a"
                 f"{OSC}11;?\a{OSC}12;red{ST}{OSC}104;1{ST}{OSC}110{ST}"),
    "events": b(f"{OSC}133;A{ST}$ {OSC}133;B{ST}ls{OSC}133;C{ST}\r\nout\r\n"
                f"{OSC}133;D;0{ST}{OSC}9;note{ST}{OSC}9;4;1;50{ST}{OSC}777;"
                f"notify;a;b{ST}{OSC}99;i=1;hi{ST}{OSC}52;c;aGk={ST}\a"),
    "questions": b(f"{CSI}c{CSI}>c{CSI}=c{CSI}5n{CSI}6n{CSI}?6n{CSI}?15n"
                   f"{CSI}?996n{CSI}4$p{CSI}?2026$p{CSI}>q{CSI}?u{CSI}?4m"
                   f"{CSI}14t{CSI}16t{CSI}18t{CSI}x{ESC}P$qm{ST}{ESC}P$qr{ST}"
                   f"{ESC}P$q q{ST}{ESC}P+q544e;436f{ST}{ESC}Z"),
    "modes": b(f"{CSI}?1;5;6;7;25;1000;1006;1004;2004h{CSI}?1;7;2004s{CSI}?1;7;"
               f"2004l{CSI}?1;7;2004r{CSI}20h\n{CSI}4h{CSI}!p{CSI}3 q"),
    "kitty-keys": b(f"{CSI}>1u{CSI}>15u{CSI}=3;2u{CSI}<u{CSI}?u{CSI}>4;2m"),
    "synchronized": b(f"{CSI}?2026ha{CSI}Hb{CSI}?2026lc{CSI}?2026h{CSI}2Jd"),
    "reset": b(f"{CSI}31mtext{CSI}?1049h{CSI}?69h{CSI}3;9s{ESC}cfresh{ESC}#8"),
    "repeat": b(f"a{CSI}5b\U0001F680{CSI}30b"),
    "strings-cut": b(f"{OSC}2;never ended\x18x{ESC}Pq#0~~\x1a{ESC}_apc{ST}"
                     f"{ESC}^pm{ST}{ESC}Xsos{ST}{OSC}2;half"),
    "half-a-sequence": b(f"text{CSI}38;2;1;2"),
    "half-a-character": b("text") + b"\xf0\x9f\x98",
    "broken-utf8": b"\xc0\x80\xed\xa0\x80\xf5\x80\x80\x80\xe2\x82A\xff\xff\xfe",
    "c1-in-utf8": b("a\x84b\x85c\x9b31md\x8de\x9d2;t\x9cf\x90$qm\x9cg"),
    "wide-at-the-margin": b("abcdefghi漢字漢字漢字\r\n漢" + f"{CSI}2Dx{CSI}C"
                            "字字字\by"),
    "clusters": b("e\u0301 a\u0308\u0323 \U0001F468\u200D\U0001F469\u200D"
                  "\U0001F467 \U0001F1E9\U0001F1EA\U0001F1EF \U0001F44D"
                  "\U0001F3FD \u2764\uFE0F \u2764\uFE0E 1\uFE0F\u20E3 क्षि "
                  "각 \u0e01\u0e33 \u200d\u200d"),
    "many-marks": b("z" + "\u0300\u0301\u0302\u0303" * 20 + "a"),
    "reflow": b("the quick brown fox jumps over the lazy dog " * 3 + "\r\n漢字"
                * 9 + "\r\n") + resize(7, 4) + b("more") + resize(60, 20)
              + b(f"{CSI}A!") + resize(20, 6),
    "resize-alternate": b(f"text\r\n{CSI}?1049h{CSI}5;5Hbox") + resize(10, 3)
              + b("x") + resize(40, 12) + b(f"{CSI}?1049l."),
    "resize-margins": b(f"{CSI}2;4r{CSI}?69h{CSI}2;6s") + resize(5, 3)
              + b("abc\r\n" * 4),
    "agent": b(f"{CSI}?2026h{CSI}?25l\u256D" + "\u2500" * 18 + "\u256E\r\n"
               f"\u2502 > {CSI}7m {CSI}27m{CSI}20G\u2502\r\n\u2570"
               + "\u2500" * 18 + f"\u256F\r\n{CSI}2m\u2819 Thinking\u2026{CSI}22m"
               f"{CSI}?25h{CSI}?2026l\r{CSI}3A{CSI}Jdone\r\n"),
    "program": b(f"{OSC}7501;?{ST}{OSC}7501;state=working:app=a{ST}x{OSC}7501;"
                 f"state=blocked:kind=question:msg=eA=={ST}{OSC}133;A{ST}"
                 f"{OSC}7501;state=done:app=b\a{CSI}!p{OSC}133;A{ST}{ESC}c"),
}

TEXTS = ["plain-lines", "long-lines-wrap", "wrap-pending", "broken-utf8",
         "wide-at-the-margin", "clusters", "many-marks", "half-a-character"]

CASTS = {
    "v1": json.dumps({"version": 1, "width": 80, "height": 24, "duration": 1.5,
                      "stdout": [[0.1, "hi\r\n"], [0.5, "\u001b[1mx"]]}),
    "v2": '{"version": 2, "width": 80, "height": 24, "env": {"TERM": "xterm"}}\n'
          '[0.1, "o", "hello\\r\\n"]\n[0.2, "i", "x"]\n[0.3, "r", "100x30"]\n'
          '[0.4, "m", "mark"]\n[1e0, "o", "\\u001b[31m\\ud83d\\ude00\\ud800"]\n',
    "v3": '{"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm"}}\n'
          '# a comment\n[0.1, "o", "hello"]\n[0.1, "r", "90x20"]\n'
          '[0.2, "x", "0"]\n',
    "v2-cut": '{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "hel',
    "v2-odd": '\n{"version":2,"width":80,"height":24,"theme":{"a":[[[]]]}}\r\n\r\n'
              '[1, "o", "a", "more", {}]\n[0.5, "o", "time goes back"]\n'
              '[2, "?", "unknown"]\n[3,"r","0x0"]\n',
    "v2-bad-size": '{"version": 2, "width": -1, "height": 99999999}\n',
    "deep": '{"version": 2, "width": 80, "height": 24, "x": ' + "[" * 80 + "\n",
    "not-json": "hello\r\n",
    "v4": '{"version": 4}\n',
    "numbers": '{"version": 2.0, "width": 8e1, "height": 24}\n[1e999, "o", ""]\n',
}


# Inputs that the fuzzers found, made as small as possible. Lines before a
# cursor.
REPORTS = {
    "question": "?",
    "idle": "state=idle:app=claude-code",
    "working": "state=working:app=codex:progress=40",
    "permission": "state=blocked:app=claude-code:kind=permission:"
                  "msg=YXBwcm92ZSBCYXNoOiBscw==",
    "auth": "kind=auth:state=blocked:msg=Z3LDvG4",
    "clear": "state=clear",
    "part": "state=done:id=build/1:title=YQ==",
    "twice": "state=idle:state=error:app=a:app=b:kind=question",
    "malformed": ":=:x:A=b:state=done:msg=",
    "controls": "state=idle:msg=YQpi",
    "turned": "state=idle:msg=YeKArmI=",
    "no-utf8": "state=idle:msg=/w==",
    "longest": "state=idle:msg=" + "eHh4" * 682 + "eHg=",
    "too-long": "state=idle:msg=" + "eHh4" * 683,
}

PROMPTS = {
    "sudo": "[sudo] password for ann: ***",
    "ssh": "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
    "french": "[sudo] Mot de passe de ann\u00a0: ",
    "japanese": "[sudo] ann \u306e\u30d1\u30b9\u30ef\u30fc\u30c9: ",
    "box": "\u2502 PIN: \u25cf\u25cf",
    "choice": "Save password [y/N]: ",
    "shell": "ann@host:~/password$ echo token: ",
}

FOUND = {
    "ws": {
        "pong-before-an-error": b"\x05\x01\x82\x01\x02\x80\xff\xe3\x80"
            + b"\x89\x81\1\2\x80\xffx" + b"\x19\x19" + bytes(8),
        "close-cut-behind-an-error": b"\x15\x88\x85\xff\x82\5\0\0\0\0\xff",
        "close-with-two-errors": b"\x15\x88\x85\x05\x82" + b"\xff" * 5
            + b"\x01\x19\x02\xff\xff",
    },
    "vt": {
        "joiners-without-a-base": options(10, 3, 3, 1)
            + b("\uac01" + CSI + "?7s\u200d\u200d"),
        "blank-start-resized": b"\x12\x05\x03\x0c\t\tn",
        "blank-start-resized-twice": b"\x12\xff\xff\xff\tc\xff\x03\x00",
        "pad-in-history": b"\x00\x00[\x1cC\xe5\xad\x97\x08\xad",
        "pad-without-its-character": b"\x01\xad\x97\x08~~\xe5\xad\x97\x08~",
        "full-row-in-colour": options(20, 4, 3, 1) + b(CSI + "44m" + CSI + "K"),
    },
    "render": {
        "mark-on-a-continued-row": b"\x00\x07\x1b]3;A\x1b]133;A\x07",
        "history-cleared-in-a-line": b"\x00\x00\x03\xbd#\x9f \x1b[3J  ",
        "cursor-behind-the-text-resized": b"\xb7a\xd3\t.\t\xff\x00\xff",
        "blank-rows-continued": b"\x08\x1b7\xeb\tll\xff\x00\x00l",
        "wrap-with-background": b"\x12\x05\xff\xff49\x1b[42m2\xff\x00\xfa",
    },
    "text": {
        "blank-start": b"\x08\x04\x03\x00\t\x00",
        "full-cluster-becomes-wide": b"\x00\x00\x83a" + b(
            "\0[1\u0302" + "\u0300\u0301\u0302\u0303" * 3
            + "\u0300\u0301\U0001F3FD"),
    },
    "keyframe": {
        "no-underline": b"\x01\x01\x00\xbf5m5\x0em\x1b[8ma\xffKFmm",
    },
    "log": {
        "header-without-events": b"{}",
    },
    "pattern": {
        "a-blank-row": b("^\n" + "\n" * 9),
    },
    "cast": {
        "number-cut": b'{"version": 2.0, "width": ',
    },
}


# Keyframes: numbers of base 128, low part first, as keyframe.c draws them.
def number(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def numbers(*values):
    return b"".join(map(number, values))


def string(text):
    return number(len(text)) + text


KEY_PEN = numbers(0, 0, 0)
KEY_CHARSETS = numbers(*b"BBBB", 0, 0)


def keyframe(rows=(b"", b""), parser=numbers(0, 0), title=b"", history=(),
             modes=0, stash=numbers(0, 0)):
    """A keyframe of a terminal with 3 columns and the given rows."""
    bottom = len(rows) - 1
    return (b"TKF" + numbers(1, 1, 3, len(rows), 5, 8 << 20)
            + numbers(0, 0) + parser + numbers(modes, 0)
            + numbers(0, bottom, 0, 2)
            + b"".join(number(0) + string(row) for row in rows)
            + numbers(1, bottom, 0)
            + 2 * (numbers(0, 0, 0) + KEY_PEN + KEY_CHARSETS)
            + KEY_PEN + KEY_CHARSETS + numbers(0, 0)
            + numbers(1) + numbers(0, 0, 0, 0, 0, 0)
            + string(title) + string(b"") + number(0) + string(b"")
            + numbers(0, 0, 0, 0, 0, 0, 0)
            + number(len(history))
            + b"".join(number(0) + string(line) for line in history)
            + number(0) + stash)


KEYFRAMES = {
    "blank": keyframe(),
    "text": keyframe(rows=(b"abc", b"d"), title=b("a title"),
                     history=(b"one", b"two three")),
    "in-a-sequence": keyframe(parser=numbers(2, 0, 0, 0, 1, 31, 0, 0, 1)),
    "in-a-character": keyframe(parser=numbers(0, 1, 0x20, 0x80, 0xbf)),
    "one-row": keyframe(rows=(b"abc",)),
    "cut": keyframe()[:-4],
    "too-long": keyframe() + b"\0",
    "another-engine": b"TKF" + numbers(1, 99),
    "too-large": b"TKF" + numbers(1, 1, 60000, 60000, 5, 5),
}


# Logs: segments as log.c reads them, and one whose bytes are built here from
# docs/log-format.md alone.
def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def log_header(number, flags=0, seq=1, offset=0, time=0, nonce=7):
    head = struct.pack("<8sHHIIIQQQQI", b"tendlog\n", 1, 64, flags, number, 0,
                       nonce, seq, offset, time, 0)
    return (head + struct.pack("<I", crc32c(head))) * 2


def log_record(at, kind, seq, payload, flags=0, nonce=7):
    head = struct.pack("<HBBIQQ", 0x6474, kind, flags, len(payload), seq, seq)
    crc = crc32c(head + payload, crc32c(struct.pack("<QQ", nonce, at)))
    return head + struct.pack("<I", crc) + payload


def log_bytes():
    out = log_header(1)
    for seq, (kind, payload) in enumerate([
            (19, b"{}"), (1, bytes(8) + b"hello"), (7, b"\0mark"),
            (1, struct.pack("<Q", 5) + b" world")], 1):
        out += log_record(len(out), kind, seq, payload)
    return out


def log_file(kind, data):
    return bytes([kind]) + struct.pack("<H", len(data)) + data


def log_event(kind, payload, flags=0, seq=1, time=1):
    return (bytes([1, kind, flags, seq, time])
            + struct.pack("<H", len(payload)) + payload)


def log_segment(*ops, kind=2, skip=(0, 0, 0)):
    return bytes([kind, *skip]) + b"".join(ops) + b"\0"


def log_output(text, **more):
    return log_event(1, bytes(8) + text, **more)


LOG_SYNC = b"\2"
LOG_RESIZE = log_event(3, struct.pack("<HHB", 30, 7, 0))
LOG_PLAIN = log_bytes()
LOGS = {
    "empty": b"",
    "bytes": log_file(0, LOG_PLAIN),
    "bytes-torn": log_file(0, LOG_PLAIN[:-3]),
    "bytes-zeros": log_file(0, LOG_PLAIN + bytes(100)),
    "bytes-one-header": log_file(0, bytes(64) + LOG_PLAIN[64:]),
    "bytes-no-header": log_file(0, bytes(128) + LOG_PLAIN[128:]),
    "bytes-flipped": log_file(0, LOG_PLAIN[:170] + b"!" + LOG_PLAIN[171:]),
    "bytes-compressed": log_file(1, log_header(1, flags=1) + struct.pack(
        "<IIIIQQQ", 0x6B6C627A, 10, 20, 0, 128, 1, 0) + bytes(20)),
    "two": log_segment(log_output(b"hello"), LOG_SYNC, log_output(b" world"))
           + log_segment(log_output(b"!")),
    "skips": log_segment(log_output(b"a")) + log_segment(
        log_output(b"b"), skip=(3, 9, 1)),
    "compressed": log_segment(*[log_output(b"x" * 3000), LOG_SYNC] * 9, kind=3)
                  + log_segment(log_output(b"!")),
    "parts": log_segment(
        log_event(11, b"half", flags=9), LOG_SYNC,
        log_event(11, b"whole", flags=8, seq=0), log_output(b"a", flags=1),
        LOG_SYNC, log_output(b"b", seq=0), log_event(2, b"cut", flags=1)),
    "gaps": log_segment(
        log_event(11, bytes(16) + b"TKF", flags=8), log_output(b"abc"),
        log_event(13, struct.pack("<QQB", 3, 4, 1)), log_output(b"def"),
        log_event(14, struct.pack("<QQ", 1, 2)), LOG_RESIZE,
        log_event(14, struct.pack("<QQ", 9, 0))),
    "again": log_segment(log_output(b"a"), log_output(b"b"), log_output(b"c"))
             + bytes([2, 255, 0, 0]) + log_output(b"d") + b"\0",
    "unknown": log_segment(log_event(99, b"later"), log_event(255, b"")),
}


# Patterns, each with output for a terminal.
PATTERNS = {
    "words": "\\w+ (is|are) \\w+\nhere is text\r\n and more",
    "lines": "^two$\none\r\ntwo\r\nthree",
    "wide": "[\u6f22\u5b57]+.\n\u6f22\u5b57\u6f22 e\u0301",
    "repeats": "(a+)+[bc]\n" + "a" * 110,
    "again": "(.+)(.+)\\2\\1x\n" + "ab" * 50,
    "ahead": "(?=(a+))a*\\1[bc]\n" + "a" * 60,
    "itself": "(a(?1)?b|(?R)c)+$\naaabbb",
    "verbs": "a+(*COMMIT)b|(*ACCEPT)c\naaac",
    "gone": "fl[a-z]+\nflash\u001b[2Jx\rflat\u001b[?1049hother",
    "cut": "(a",
    "nested": "(" * 60 + ")" * 60 + "\nx",
    "empty-match": "x*\n",
    "keep": "a\\Kb|(?=x\\K)\nab",
}

QUESTIONS = {
    "choice": "\n\u001b[?25lRun it?\r\n\u276f 1. Yes\r\n  2. No\r\n",
    "box": "\n\u2502 \u25cf 1. Once \u2502\r\n\u2502   2. Never \u2502\r\n",
    "radio": "\n\u25c6 Size?\r\n\u25cf large\r\n\u25cb small / ( ) x\r\n",
    "inverse": "\n\u001b[?25lWhere?\r\nhere\r\n\u001b[7mthere\u001b[m\r\n",
    "yes-no": "\nGo on? [(y)es, (n)o]: ",
    "brackets": "\n((([y/n" + "]" * 30,
    "buttons": "\n  <Ok>   <Cancel>\r\n[ OK ] [",
    "key": "\nPress <ENTER> or type something to continue",
    "own": "go on? (y/n)\n\r\u276f go on? (y/n)",
    "own-list": "2. b\n\u276f 1. a\r\n  2. b",
    "shell": "ls\n> ls\r\n  a\r\n  b\r\n> ",
    "wide": "\u6f22\n" + "\u6f22\u5b57" * 30 + " [y/N]",
    "long": "\n" + "\u276f " + "x" * 39 + "(y/n",
}

REQUESTS = {
    "send": ("session.send", {"input": [
        {"text": "ls\u00e9"}, {"keys": ["Enter", "C-c", "M-S-Left", "F5"]},
        {"paste": "a\nb\u001b[201~"}, {"hex": "1b 5b41 00ff"},
        {"mouse": "click 3,4 right"}, {"mouse": "scroll-up 0,0"}],
        "secret": True, "expect_seq": 12}),
    "send-wrong": ("session.send", {"input": [{"text": "a"}, {"nose": 1}]}),
    "mouse-wrong": ("session.send", {"input": [{"mouse": "drag 99,-1 up"}]}),
    "hex-wrong": ("session.send", {"input": [{"hex": "1g"}]}),
    "json": ("session.snapshot", {"cells": True, "hidden": True,
                                  "scrollback": True}),
    "since": ("session.snapshot", {"since": 3, "max_bytes": 7}),
    "text": ("session.snapshot", {"format": "text", "scrollback": True,
                                  "max_bytes": 9}),
    "command": ("session.snapshot", {"format": "text", "last_command": True}),
    "html": ("session.snapshot", {"format": "html"}),
    "svg": ("session.snapshot", {"format": "svg", "max_bytes": 10}),
    "ansi": ("session.snapshot", {"format": "ansi", "scrollback": None}),
    "contradiction": ("session.snapshot", {"since": 1, "last_command": True}),
    "prompt": ("session.prompt", {"text": "do it", "profile": "nudge",
                                  "timeout_ms": 500}),
    "wait": ("session.wait", {"regex": "(a|b)+$", "cursor": "3,*",
                              "stable_ms": 50, "after": 7, "seen": True}),
    "label": ("session.label", {"labels": {"a": "b", "c": None}}),
    "unknown": ("session.nonsense", {"x": [[[]]]}),
}

BATCHES = {
    "each": [{"text": "ls"}, {"keys": ["Enter"]}, {"paste": "x"},
             {"hex": "1b"}, {"mouse": "click 1,2"}, {"prompt": "do it"},
             {"wait": "ready"}, {"snapshot": {}}],
    "objects": [{"prompt": {"text": "a", "profile": "shell",
                            "timeout": "5s"}},
                {"exec": {"command": "make", "timeout": "1h"}},
                {"wait": {"regex": "a.c", "timeout": "1.5s",
                          "stable": "50ms", "after": 3}},
                {"snapshot": {"format": "text", "max_bytes": 100}}],
    "both-limits": [{"wait": {"text": "a", "timeout": "5s",
                              "timeout_ms": 5}}],
    "long-limit": [{"wait": {"text": "a", "timeout": "99999d"}}],
    "wrong-key": [{"text": "a"}, {"keys": ["Enterr"]}],
    "two-keys": [{"text": "a", "keys": []}],
    "no-array": {"text": "a"},
    "empty": [],
}


CONFIGS = {
    "all": b"[attach]\nprefix = C-a\n[run]\nresize=latest\ninput = lease\n"
           b"max-log = 1G\nidle-timeout = 2h\npids = 100\n[limits]\n"
           b"max-sessions = 0\nmin-free=1M\n[ls]\ncolours = \"never\"\n",
    "wrong": b"[run]\nresize = huge\nrezise = fixed\nmax-log = 1\n"
             b"linger-output = 99999999d\n[open\nnonsense\n= x\n[]\n[x]\ny\n",
    "bytes": b"[run]\r\nresize = \x1b[31m\n\x00\nresize=\"latest\"\r\n"
             b"\xff\xfe = \xc3\n# c\n; c\n\"",
    "long": b"[run]\nresize = " + b"x" * 2000 + b"\n[" + b"s" * 1000 + b"]\n"
            + b"k" * 900 + b"=1\n",
}


# The type of a record, then its payload.
PAYLOADS = {
    "input": b"\x02\x01\x00\x08uid:1000\x02\x00\x00\x00hi",
    "input-key": b"\x02\x01\x07\x02me\x02\x00\x00\x00\x01k\x09session:a",
    "input-no-key": b"\x02\x01\x02\x02me\x02\x00\x00\x00\x00hi",
    "input-cut": b"\x02\x01\x06\xffme",
    "resize": b"\x03\x50\x00\x18\x00\x02me",
    "signal": b"\x04\x0f\x00\x00\x00\x02mestop",
    "mark": b"\x07\x02mehere",
    "keyframe": b"\x0b" + bytes(8) + b"\x50\x00\x18\x00\x01\x00\x00\x00x",
    "clock-no-why": b"\x0c" + bytes(8),
    "gap": b"\x0d" + bytes(16) + b"\x01more",
    "exit": b"\x10" + bytes(13),
    "empty": b"\x02",
}


HEAD = "GET / HTTP/1.1\r\nHost: h\r\n"
POST = "POST /p HTTP/1.1\r\nHost: h\r\n"
CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n"

HTTP = {
    "get": HEAD + "\r\n",
    "path": "GET /a%20b/%c3%a9?c=%2b+d&e HTTP/1.1\r\nHost: h:1\r\n\r\n",
    "pipeline": (HEAD + "\r\n") * 3 + POST + "Content-Length: 2\r\n\r\nok"
                + HEAD + "Connection: close\r\n\r\n",
    "chunks": CHUNKED + "2\r\nhe\r\n03\r\nllo\r\n0\r\n\r\n" + HEAD + "\r\n",
    "trailer": CHUNKED + "1\r\nx\r\n0\r\nA: b\r\n\r\n",
    "extension": CHUNKED + "1;a=b\r\nx\r\n0\r\n\r\n",
    "skipped": CHUNKED + "1\r\nxyy0\r\n\r\n",
    "both": POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            "0\r\n\r\n",
    "length-twice": POST + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "length-empty": POST + "Content-Length:\r\n\r\nx",
    "length-list": POST + "Content-Length: 1, 1\r\n\r\nx",
    "host-twice": HEAD + "hOST: i\r\n\r\n",
    "folded": HEAD + "A: b\r\n c\r\n\r\n",
    "blank": HEAD + "A : b\r\n\r\n",
    "bare-lf": HEAD + "A: b\n\r\n",
    "absolute": "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "dots": "GET /a/%2e%2e/b HTTP/1.1\r\nHost: h\r\n\r\n",
    "http2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "upgrade": HEAD + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x01",
    "lists": HEAD + "Via: a\r\nVia: b\r\nAccept: c\r\n\r\n",
}


def message(first, payload=b"", mask=b"\1\2\x80\xff"):
    """A frame of a WebSocket client."""
    n = len(payload)
    size = (bytes([0x80 | n]) if n < 126 else
            bytes([0xFE]) + struct.pack(">H", n))
    masked = bytes(c ^ mask[i % 4] for i, c in enumerate(payload))
    return bytes([first]) + size + mask + masked


MESSAGES = {
    "text": message(0x81, b"hello") + message(0x81),
    "binary": message(0x82, bytes(200)),
    "fragments": message(1, b"\xe2\x82") + message(0x89, b"p") + message(0)
                 + message(0x80, b"\xac"),
    "ping": message(0x89, b"x" * 125) + message(0x8A),
    "close": message(0x88, b"\x03\xe8bye") + message(0x81, b"late"),
    "close-short": message(0x88, b"\x03"),
    "close-code": message(0x88, b"\x03\xed"),
    "too-large": message(0x82, bytes(513)),
    "not-utf8": message(0x81, b"a\xff"),
    "unmasked": b"\x81\x01x",
    "reserved": message(0xC1, b"x"),
    "opcode": message(0x83, b"x"),
    "control-cut": message(9),
    "long-length": b"\x81\xfe\0\5\0\0\0\0hello",
    "negative": b"\x82\xff" + b"\xff" * 8 + bytes(4),
}

GLOBS = ["a/b\na/b", "a/*\na/b", "a/**\na", "**/c\na/b/c", "**/a/**/a\na/a/b/a",
         "*\n", "**\n", "*/*\na//b", "a*\nab", "/a\n/a", "***\nx", "a//b\na//b",
         "/".join("a" * 16) + "\nx", "/".join("a" * 17) + "\nx", "x" * 256 + "\nx"]

# The text of a profile, and a screen.
RULE = "\u2500" * 30 + "\r\n"
PROFILES = {
    "claude-idle": ("", f"Claude Code v2.1.325\r\n\r\n{RULE}\u276f\u00a0{CSI}2m"
                    f"Try this{CSI}m\r\n{RULE}  ? for shortcuts"),
    "claude-working": ("", f"\u273b Thinking\u2026\r\n{RULE}\u276f \r\n{RULE}"
                       f"  esc to interrupt{OSC}0;\u2802 x{ST}"),
    "claude-permission": ("", f"{RULE} Do you want to proceed?\r\n \u276f 1. Yes\r\n"
                          "   2. No\r\n\r\n Esc to cancel"),
    "codex-permission": ("", "  Would you like to run it?\r\n\u203a 1. Yes\r\n"
                         "  2. No\r\n\r\n  Press enter to confirm or esc to "
                         f"cancel{OSC}0;[ ! ] Action Required{ST}"),
    "rules": ("[agent]\ntitle = Own\nversion = v\\K[0-9.]+\nseen = 1.0-1.9, 2\n"
              "[title working]\nmatch = ^busy\n[box]\nbegin = ^> ?\n"
              "end = \\n===\nmargin = ^ *\nfaint = yes\nfold = \\[x\\]\n"
              "placeholder = ^Ask\n[screen a]\nactivity = idle\nbox = draft\n"
              "proof = yes\nrows = 9\n[screen done]\nmatch = a\nunless = b\n"
              "seen = any\n",
              f"v1.5\r\n> [x] {CSI}7mone{CSI}m\r\n  two\r\n==={OSC}2;busy{ST}"),
    "twice": ("[box]\nbegin = (?=)\n[screen idle]\nbox = shown\n",
              "a\r\n\r\nb"),
    "slow": ("[screen idle]\nmatch = ^(a+)+$\nmatch = (.*)*x\n", "a" * 39 + "b"),
    "look-back": ("[box]\nbegin = (?<=a)\\Kb\nend = \\K\\z\n[agent]\n"
                  "version = (?=.*\\K)\n", "ab\r\nab"),
    "unknown-key": ("[agent]\nname = x\n", ""),
    "bad-pattern": ("[screen idle]\nmatch = (\n", "x"),
    "no-activity": ("[screen x]\nmatch = x\n", "x"),
    "wide": ("[box]\nbegin = ^\u6f22\nfaint = yes\n",
             f"\u6f22{CSI}2m\u5b57e\u0301\u200d{CSI}7mx"),
    "full": ("", "x" * 40 * 14),
}


def write(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def main():
    for i, (name, data) in enumerate(SESSIONS.items()):
        for target in ("vt", "render"):
            write(target, name, options(20, 6, 3 - i % 2, i) + data)
        write("keyframe", "changed-" + name,
              bytes([1, i % 8]) + bytes([0, 7 * i % 256, i]) * (i % 8)
              + options(12, 4, 1, i) + data)
    write("vt", "two-columns", options(2, 1, 3, 1) + SESSIONS["clusters"])
    write("render", "two-columns", options(2, 1, 3, 1) + SESSIONS["clusters"])
    for i, name in enumerate(TEXTS):
        write("text", name, options(10, 5, 3, i) + SESSIONS[name])
    for name, data in KEYFRAMES.items():
        write("keyframe", name, b"\0" + data)
    for name, text in CASTS.items():
        write("cast", name, text.encode("utf-8", "surrogatepass"))
    for name, data in LOGS.items():
        write("log", name, data)
    for name, text in QUESTIONS.items():
        write("question", name, text.encode())
    for name, data in CONFIGS.items():
        write("config", name, data)
    for name, data in PAYLOADS.items():
        write("payload", name, data)
    for name, text in PATTERNS.items():
        write("pattern", name, b(text))
    for name, (text, screen) in PROFILES.items():
        write("screenrules", name, b(text) + b"\0" + b(screen))
    for name, text in REPORTS.items():
        write("program_status", name, b(text))
    for name, text in PROMPTS.items():
        write("secret", name, b(text))
    for name, (op, args) in REQUESTS.items():
        write("op", name, b(json.dumps({"id": 1, "op": op, "args": args})))
    for name, steps in BATCHES.items():
        write("batch", name, b(json.dumps(steps)))
    for name, text in HTTP.items():
        write("http", name, b"\x05" + text.encode("latin-1"))
    for name, data in MESSAGES.items():
        write("ws", name, b"\x05" + data)
    for i, text in enumerate(GLOBS):
        write("glob", f"glob-{i}", b(text))
    for target, inputs in FOUND.items():
        for name, data in inputs.items():
            write(target, "found-" + name, data)


main()
