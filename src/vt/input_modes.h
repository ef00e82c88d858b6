#ifndef TEND_VT_INPUT_MODES_H
#define TEND_VT_INPUT_MODES_H

#include <stdbool.h>
#include <stdint.h>

/* The mouse events that a program gets; each mode adds to the one before. */
enum mouse_mode {
	MOUSE_OFF,
	MOUSE_X10,    /* 9: presses of the first three buttons */
	MOUSE_NORMAL, /* 1000: presses, releases, the wheel */
	MOUSE_BUTTON, /* 1002: and moves while a button is held */
	MOUSE_ANY,    /* 1003: and every other move */
};

enum mouse_format {
	MOUSE_LEGACY,     /* CSI M and three bytes */
	MOUSE_UTF8,       /* 1005: CSI M and three UTF-8 characters */
	MOUSE_SGR,        /* 1006: CSI < numbers M or m */
	MOUSE_URXVT,      /* 1015: CSI numbers M */
	MOUSE_SGR_PIXELS, /* 1016: as 1006, places in pixels */
};

/* Flags of kitty's keyboard protocol, as a program sends them. */
enum kitty_flags {
	KITTY_DISAMBIGUATE = 1 << 0,
	KITTY_EVENTS = 1 << 1,
	KITTY_ALTERNATES = 1 << 2,
	KITTY_ALL_KEYS = 1 << 3,
	KITTY_TEXT = 1 << 4,
};

/*
 * The terminal modes that the encoders of keys, mouse, paste and focus need.
 *  A plain value: all zero is a terminal after reset.
 */
struct input_modes {
	bool app_cursor;      /* DECCKM ?1: cursor keys send SS3 */
	bool app_keypad;      /* DECNKM ?66, DECKPAM */
	bool backarrow_bs;    /* DECBKM ?67: BSpace sends BS, not DEL */
	bool newline;         /* LNM 20: Enter sends CR LF */
	bool bracketed_paste; /* 2004 */
	bool focus_events;    /* 1004 */
	bool alt_scroll; /* 1007: the wheel is arrows on the alternate screen */
	bool alt_screen;
	uint8_t modify_other_keys; /* 0, 1 or 2 */
	uint8_t format_other_keys; /* 0 = CSI 27;m;c~, 1 = CSI c;mu */
	uint8_t kitty_flags;       /* enum kitty_flags */
	enum mouse_mode mouse;
	enum mouse_format mouse_format;
};

#endif
