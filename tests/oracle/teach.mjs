// Where our terminal differs from xterm.js on purpose, xterm.js is taught to
// do as we do, so that everything around the difference is still compared.
// Each lesson is a policy of policies.py, which gives the reason, an example
// that differs without the lesson, and the case in tests/vt that pins it.
//
// A lesson replaces methods of the one terminal it is given; `t` is a Pupil.

const PROTECTED = 0x20000000; // in the background

class Pupil {
	constructor(screen) {
		this.screen = screen;
		this.core = screen.term._core;
		this.handler = this.core._inputHandler;
		this.parser = this.handler._parser;
		this.modes = () => this.core.coreService.decPrivateModes;
	}

	get buffers() { return this.core.buffers; }
	get buffer() { return this.core.buffers.active; }
	get cols() { return this.core.cols; }
	get rows() { return this.core.rows; }
	row(y) { return this.buffer.lines.get(this.buffer.ybase + y); }
	get pen() { return this.handler._curAttrData; }
	set pen(attributes) { this.handler._curAttrData = attributes; }

	// Replace a method by one that gets the old one as first argument.
	replace(object, name, method) {
		const old = object[name].bind(object);
		object[name] = (...args) => method(old, ...args);
	}

	around(name, method) {
		this.replace(this.handler, name, method);
	}

	after(name, action) {
		this.around(name, (old, ...args) => {
			const result = old(...args);
			action(...args);
			return result;
		});
	}

	endPendingWrap() {
		this.buffer.x = Math.min(this.buffer.x, this.cols - 1);
	}

	clearCell(line, x) {
		line.setCell(x, this.buffer.getNullCell());
	}
}

// ---------------------------------------------------------------- the pen

// The parameters of SGR as [number, sub-parameters] pairs, and back.
function pairs(params) {
	const out = [];
	for (const p of params.toArray()) {
		if (Array.isArray(p))
			out.at(-1)[1] = p;
		else
			out.push([p, []]);
	}
	return out;
}

function unpair(list) {
	return list.flatMap(([p, subs]) => subs.length ? [p, subs] : [p]);
}

const isColour = (p) => p === 38 || p === 48 || p === 58;

function rewriteSgr(t, rewrite) {
	t.around('charAttributes', (old, params) => {
		const list = rewrite(pairs(params));
		if (list.length === 0)
			return true;
		return old(params.constructor.fromArray(unpair(list)));
	});
}

function sgr_6_blinks(t) {
	rewriteSgr(t, (list) => list.map((p, i) =>
		p[0] === 6 && !isArgument(list, i) ? [5, []] : p));
}

// True if the parameter at `at` belongs to a 38, 48 or 58 before it.
function isArgument(list, at) {
	for (let i = 0; i < at; i++) {
		if (!isColour(list[i][0]) || list[i][1].length)
			continue;
		i += list[i + 1]?.[0] === 5 ? 2 : list[i + 1]?.[0] === 2 ? 4 : 1;
		if (i >= at)
			return true;
	}
	return false;
}

// The rest of an incomplete colour and of the parameters after it.
function sgr_incomplete(t) {
	rewriteSgr(t, (list) => {
		const out = [];
		for (let i = 0; i < list.length; i++) {
			const [p, subs] = list[i];
			if (!isColour(p)) {
				out.push(list[i]);
				continue;
			}
			const kind = subs.length ? subs[0] : list[i + 1]?.[0];
			const known = kind === 5 || kind === 2;
			const need = kind === 5 ? 2 : kind === 2 ? 4 : 1;
			const have = subs.length || list.length - i - 1;
			const take = subs.length ? 1 : Math.min(need, have) + 1;
			const bytes = subs.length ? subs : list.slice(i + 1, i + take).map(([n]) => n);
			if (known && have >= need && bytes.every((n) => n <= 255))
				out.push(...list.slice(i, i + take));
			i += take - 1;
		}
		return out;
	});
}

function sgr_colon_without_space(t) {
	rewriteSgr(t, (list) => list.map(([p, subs]) =>
		isColour(p) && subs[0] === 2 && subs.length === 4
			? [p, [2, -1, ...subs.slice(1)]] : [p, subs]));
}

function sgr_empty_underline(t) {
	rewriteSgr(t, (list) => list.map(([p, subs]) =>
		p === 4 && subs[0] === -1 ? [4, [0]] : [p, subs]));
}

function sgr_0_keeps_protection(t) {
	t.around('_processSGR0', (old, attributes) => {
		const kept = attributes.bg & PROTECTED;
		old(attributes);
		attributes.bg |= kept;
	});
}

// --------------------------------------------------------------- the text

const FE0F = 0xfe0f;
const ZWJ = 0x200d;

// Visible format characters and the soft hyphen have a column.
const SEEN = /[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\p{Zl}\p{Zp}]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;

function hasNoWidth(cp) {
	const c = String.fromCodePoint(cp);
	return NO_WIDTH.test(c) && !SEEN.test(c);
}

const width = (state) => (state >> 1) & 3;
const joins = (state) => (state & 1) !== 0;
const withWidth = (state, w) => (state & ~6) | (w << 1);
const PLAIN = 1 << 1; // not joined, one column, no class

// A state of ours on top of xterm.js's, which has 27 bits. Lessons change how
// a code point continues the text before it, as (cp, before, after), where
// before and after are states. They may keep marks of their own in them.
const MARKS = { pictograph: 1 << 27, bound: 1 << 28, varies: 1 << 29 };
const ALL_MARKS = 7 << 27;

function onJoin(t, change) {
	const provider = t.core.unicodeService._activeProvider;
	const before = provider.tendJoin ?? ((cp, state) =>
		provider.constructor.prototype.charProperties.call(provider, cp, state & ~ALL_MARKS));
	provider.tendJoin = (cp, state) => change(cp, state, before(cp, state));
	provider.charProperties = provider.tendJoin;
}

function selector_needs_emoji(t) {
	onJoin(t, (cp, state, after) => {
		const narrow = width(after) === 1;
		if (joins(after) && cp === FE0F && !(state & MARKS.varies))
			after = withWidth(after, width(state));
		const c = String.fromCodePoint(cp);
		const varies = /[0-9#*]/.test(c) || (narrow && PICTOGRAPH.test(c));
		return varies ? after | MARKS.varies : after & ~MARKS.varies;
	});
}

// GB11: a ZWJ joins the next character to an emoji and to nothing else.
function zwj_needs_emoji(t) {
	onJoin(t, (cp, state, after) => {
		const c = String.fromCodePoint(cp);
		const open = state & MARKS.pictograph;
		after &= ~(MARKS.pictograph | MARKS.bound);
		if (PICTOGRAPH.test(c)) {
			if (joins(after) && !(state & MARKS.bound))
				after = t.core.unicodeService.charProperties(cp, 0) & ~ALL_MARKS;
			return after | MARKS.pictograph;
		}
		if (cp === ZWJ)
			return open ? after | MARKS.bound : after;
		return open && joins(after) ? after | MARKS.pictograph : after;
	});
}

function ascii_never_joins(t) {
	onJoin(t, (cp, state, after) => cp < 0x80 && joins(after) ? PLAIN : after);
}

// A mark does not widen its base, whatever its script.
function marks_do_not_widen(t) {
	onJoin(t, (cp, state, after) =>
		joins(after) && cp !== FE0F && hasNoWidth(cp)
			? withWidth(after, width(state)) : after);
}

// A character without width and without a base to join is not shown.
function no_width_is_not_shown(t) {
	t.around('print', (old, data, start, end) => {
		const shown = [];
		let state = t.parser.precedingJoinState;
		for (let i = start; i < end; i++) {
			const next = t.core.unicodeService.charProperties(data[i], state);
			if (data[i] > 0xa0 && !joins(next) && hasNoWidth(data[i]))
				continue;
			state = next;
			shown.push(data[i]);
		}
		if (shown.length > 0)
			old(Uint32Array.from(shown), 0, shown.length);
	});
}

// xterm.js forgets the last character after every sequence, by setting its
// state to 0.  The function returned here makes it remember after one method.
function rememberAfter(t) {
	if (!t.remembers) {
		let state = 0;
		Object.defineProperty(t.parser, 'precedingJoinState', {
			get: () => state,
			set: (value) => {
				if (value !== 0 || !t.keepNext)
					state = value;
				if (value === 0)
					t.keepNext = false;
			},
		});
		t.remembers = (object, method) => t.replace(object, method, (old, ...args) => {
			const result = old(...args);
			t.keepNext = true;
			return result;
		});
	}
	return t.remembers;
}

function pen_keeps_last_char(t) {
	const remember = rememberAfter(t);
	remember(t.handler, 'charAttributes');
	remember(t.parser._oscParser, 'end');
	remember(t.parser._dcsParser, 'unhook');
	t.parser.registerEscHandler({ final: '\\' }, () => t.keepNext = true);
}

// REP may follow itself, and the repeated character does not join.
function rep_repeats_apart(t) {
	t.around('repeatPrecedingCharacter', (old, params) => {
		const state = t.parser.precedingJoinState;
		if (!state)
			return true;
		const text = t.row(t.buffer.y).getString(t.buffer.x - width(state));
		const codes = Uint32Array.from([...text].map((c) => c.codePointAt(0)));
		for (let n = params.params[0] || 1; n > 0; n--) {
			t.parser.precedingJoinState = 0;
			t.handler.print(codes, 0, codes.length);
		}
		return true;
	});
	rememberAfter(t)(t.handler, 'repeatPrecedingCharacter');
}

function resize_forgets_last_char(t) {
	t.replace(t.core, 'resize', (old, ...args) => {
		if (args[0] !== t.cols || args[1] !== t.rows)
			t.parser.precedingJoinState = 0;
		old(...args);
	});
}

// --------------------------------------------------------------- wrapping

// Text that wraps in place, in the last row below the margins, continues
// itself and not the row above.
function wrap_in_place(t) {
	t.around('print', (old, ...args) => {
		const y = t.buffer.y;
		const line = t.row(y);
		const was = line.isWrapped;
		old(...args);
		if (y === t.rows - 1 && y > t.buffer.scrollBottom)
			line.isWrapped = was;
	});
}

function erase_ends_pending_wrap(t) {
	for (const name of ['eraseInLine', 'eraseInDisplay']) {
		t.around(name, (old, params, ...rest) => {
			if (params.params[0] <= 2)
				t.endPendingWrap();
			return old(params, ...rest);
		});
	}
}

// A pending wrap is in the last column. It stays pending when columns are
// shifted, or when rows outside the margins would be.
function shifting_keeps_pending_wrap(t) {
	for (const name of ['scrollLeft', 'scrollRight', 'insertColumns', 'deleteColumns']) {
		t.around(name, (old, params) => {
			const x = t.buffer.x;
			t.endPendingWrap();
			const result = old(params);
			t.buffer.x = x;
			return result;
		});
	}
	for (const name of ['insertLines', 'deleteLines']) {
		t.around(name, (old, params) => {
			const { y, scrollTop, scrollBottom } = t.buffer;
			return y < scrollTop || y > scrollBottom || old(params);
		});
	}
}

// Without wrapping, a wide character that does not fit is not shown, unless it
// follows another and takes its place. A mark that would make a character wide
// is not shown either. xterm.js moves the cursor first, perhaps into the
// middle of another wide character, and repairs its halves only between two
// chunks.
function wide_without_wrap(t) {
	t.around('print', (old, data, start, end) => {
		if (t.modes().wraparound)
			return old(data, start, end);
		for (let i = start; i < end; i++) {
			const state = t.parser.precedingJoinState;
			const next = t.core.unicodeService.charProperties(data[i], state);
			const room = joins(next) ? width(next) - width(state) : width(next);
			const full = t.buffer.x + room > t.cols;
			const follows = t.buffer.x === t.cols && width(state) === 2 && state !== 0;
			if (!joins(next))
				t.endPendingWrap();
			if (width(next) === 2 && full && !joins(next) && follows) {
				t.buffer.x = t.cols - 2;
				old(data, i, i + 1);
			} else if (width(next) === 2 && t.buffer.x + room > t.cols) {
				t.parser.precedingJoinState = joins(next)
					? withWidth(next, width(state)) : 0;
			} else {
				old(data, i, i + 1);
			}
		}
	});
}

// xterm clears the alternate screen when 1049 enters it and 1047 leaves it,
// and that ends the pending wrap.
function clearing_the_screen_ends_pending_wrap(t) {
	t.around('setModePrivate', (old, params) => {
		const result = old(params);
		if (params.toArray().includes(1049))
			t.endPendingWrap();
		return result;
	});
	t.around('resetModePrivate', (old, params) => {
		if (params.toArray().includes(1047) && t.buffer === t.buffers.alt)
			t.endPendingWrap();
		return old(params);
	});
}

// xterm clears the alternate screen when 1049 enters it, even from there. 47
// and 1047 show it unchanged, which is empty.
function only_1049_paints_the_screen(t) {
	t.replace(t.buffers, 'activateAltBuffer', (old) => old());
	t.around('setModePrivate', (old, params) => {
		const result = old(params);
		if (params.toArray().includes(1049)) {
			for (let y = 0; y < t.rows; y++)
				t.handler._resetBufferLine(y);
		}
		return result;
	});
}

function margins_are_shared(t) {
	for (const name of ['activateAltBuffer', 'activateNormalBuffer']) {
		t.replace(t.buffers, name, (old, ...args) => {
			const { scrollTop, scrollBottom } = t.buffer;
			old(...args);
			Object.assign(t.buffer, { scrollTop, scrollBottom });
		});
	}
}

// DECSTR removes the protection from the text of both screens.
function decstr_ends_protection(t) {
	t.after('softReset', () => {
		for (const buffer of [t.buffers.normal, t.buffers.alt]) {
			for (let y = 0; y < Math.min(t.rows, buffer.lines.length); y++) {
				const { _data } = buffer.lines.get(buffer.ybase + y);
				for (let x = 0; x < t.cols; x++)
					_data[3 * x + 2] &= ~PROTECTED;
			}
		}
	});
}

// ED 1 in the last column looks for the row below without counting the rows of
// the scrollback, and throws if it finds none.
function erase_above_at_the_edge(t) {
	t.around('eraseInDisplay', (old, params, spare) => {
		const { x, y } = t.buffer;
		if (params.params[0] !== 1 || x + 1 < t.cols)
			return old(params, spare);
		t.buffer.x = t.cols - 2;
		old(params, spare);
		t.handler._eraseInBufferLine(y, t.cols - 1, t.cols, false, spare);
		if (y + 1 < t.rows)
			t.row(y + 1).isWrapped = false;
		t.buffer.x = x;
		return true;
	});
}

// -------------------------------------------------------------- scrolling

function sd_takes_background(t) {
	t.around('scrollDown', (old, params) => {
		const { lines, ybase, scrollTop, scrollBottom } = t.buffer;
		const height = scrollBottom - scrollTop + 1;
		for (let n = Math.min(params.params[0] || 1, height); n > 0; n--) {
			lines.splice(ybase + scrollBottom, 1);
			lines.splice(ybase + scrollTop, 0,
			    t.buffer.getBlankLine(t.handler._eraseAttrData()));
		}
		return true;
	});
}

// Left and right margins as far as tmux uses them: mode 69, DECSLRM, and
// scrolling up between them.
function left_and_right_margins(t) {
	let on = false, left = 0, right = Infinity;
	const reset = () => { left = 0; right = Infinity; };
	const narrow = () => left > 0 || right < t.cols - 1;
	const has69 = (params) => params.toArray().includes(69);
	const between = () => t.buffer.x >= left && t.buffer.x <= right;

	const scroll = (count) => {
		const { scrollTop, scrollBottom } = t.buffer;
		const end = Math.min(right, t.cols - 1);
		const erased = t.buffer.getNullCell(t.handler._eraseAttrData());
		for (let y = scrollTop; y <= scrollBottom; y++) {
			splitAt(t, t.row(y), left);
			splitAt(t, t.row(y), end + 1);
		}
		for (let y = scrollTop; y <= scrollBottom; y++) {
			for (let x = left; x <= end; x++) {
				const cell = new erased.constructor();
				t.row(y).setCell(x, y + count <= scrollBottom
					? t.row(y + count).loadCell(x, cell) : erased);
			}
		}
	};
	const down = (old) => {
		if (!narrow() || t.buffer.y !== t.buffer.scrollBottom)
			return old();
		t.endPendingWrap();
		if (between())
			scroll(1);
		return true;
	};

	t.after('setModePrivate', (params) => { on ||= has69(params); });
	t.after('resetModePrivate', (params) => {
		if (has69(params)) {
			on = false;
			reset();
		}
	});
	t.parser.registerCsiHandler({ final: 's' }, (params) => {
		if (!on)
			return false;
		const l = params.params[0] || 1;
		const r = Math.min((params.length > 1 && params.params[1]) || t.cols, t.cols);
		if (l < r) {
			[left, right] = [l - 1, r - 1];
			t.handler._setCursor(0, 0);
		}
		return true;
	});
	t.around('lineFeed', down);
	t.around('index', down);
	t.around('scrollUp', (old, params) => {
		if (!narrow())
			return old(params);
		scroll(params.params[0] || 1);
		return true;
	});
	t.after('softReset', () => { on = false; reset(); });
	t.after('fullReset', () => { on = false; reset(); });
	t.replace(t.core, 'resize', (old, ...args) => { old(...args); reset(); });
}

// Empty both halves of a wide character that crosses the left edge of x.
function splitAt(t, line, x, erased = t.buffer.getNullCell()) {
	if (x > 0 && x < t.cols && line.getWidth(x - 1) === 2) {
		line.setCell(x - 1, erased);
		line.setCell(x, erased);
	}
}

// xterm.js moves the right half away alone, a cell without any column.
function halves_end_together(t) {
	const split = (y) => splitAt(t, t.row(y), t.buffer.x,
	    t.buffer.getNullCell(t.handler._eraseAttrData()));
	t.around('insertChars', (old, params) => {
		t.endPendingWrap();
		split(t.buffer.y);
		return old(params);
	});
	t.around('insertColumns', (old, params) => {
		const { y, scrollTop, scrollBottom } = t.buffer;
		t.endPendingWrap();
		for (let i = scrollTop; i <= scrollBottom; i++) {
			if (scrollTop <= y && y <= scrollBottom)
				split(i);
		}
		return old(params);
	});
}

// ------------------------------------------------------------- the cursor

function c1_ri(t) {
	t.parser.setExecuteHandler('\x8d', () => t.handler.reverseIndex());
}

function origin_is_added_once(t) {
	const set = (x, y) => {
		t.buffer.x = x;
		t.buffer.y = y;
		t.handler._restrictCursor();
		return true;
	};
	t.around('_moveCursor', (old, x, y) => {
		t.handler._restrictCursor();
		set(t.buffer.x + x, t.buffer.y + y);
	});
	for (const name of ['cursorCharAbsolute', 'charPosAbsolute'])
		t.around(name, (old, params) => set((params.params[0] || 1) - 1, t.buffer.y));
}

// DECSC saves the row of the screen, not of the text, and the whole pen, the
// character sets and the origin mode.
function decsc_saves_all(t) {
	const sets = t.core._charsetService;
	const fresh = () => ({ x: 0, y: 0, origin: false, pen: null, glevel: 0, sets: [] });
	const forget = () => { t.buffer.tendSaved = fresh(); };

	t.around('saveCursor', () => {
		t.buffer.tendSaved = {
			x: t.buffer.x,
			y: t.buffer.y,
			origin: t.modes().origin,
			pen: t.pen.clone(),
			glevel: sets.glevel,
			sets: [...sets._charsets],
		};
		return true;
	});
	t.around('restoreCursor', () => {
		const saved = { ...fresh(), ...t.buffer.tendSaved };
		t.modes().origin = saved.origin;
		t.pen = saved.pen?.clone() ?? new t.pen.constructor();
		sets._charsets = [...saved.sets];
		sets.setgLevel(saved.glevel);
		t.buffer.x = saved.x;
		t.buffer.y = saved.y;
		t.handler._restrictCursor();
		if (saved.x === t.cols)
			t.buffer.x = saved.x;
		return true;
	});
	t.after('softReset', forget);
	t.replace(t.core, 'resize', (old, ...args) => {
		for (const { tendSaved } of [t.buffers.normal, t.buffers.alt]) {
			if (tendSaved)
				tendSaved.x = Math.min(tendSaved.x, t.cols - 1);
		}
		old(...args);
	});
}

function tabs_are_shared(t) {
	const share = () => {
		const { normal, alt } = t.buffers;
		alt.setupTabStops = () => {};
		Object.defineProperty(alt, 'tabs', {
			configurable: true,
			get: () => normal.tabs,
			set: (tabs) => { normal.tabs = tabs; },
		});
	};
	share();
	t.replace(t.buffers, 'reset', (old) => { old(); share(); });
}

// A wider screen gets the default tab stops; nothing else changes.
function tabs_stay_on_resize(t) {
	t.replace(t.core, 'resize', (old, ...args) => {
		const tabs = { ...t.buffers.normal.tabs };
		for (let x = t.cols; x < args[0]; x++)
			tabs[x] = x % 8 === 0;
		old(...args);
		t.buffers.normal.tabs = tabs;
	});
}

// ----------------------------------------------------------------- resets

function ris_resets_all(t) {
	t.after('fullReset', () => {
		t.screen.title = t.handler._windowTitle = '';
		t.handler._windowTitleStack = [];
		t.core.coreService.isCursorHidden = false;
		t.core.options.convertEol = false;
	});
}

function decstr_keeps_input_modes(t) {
	t.around('softReset', (old, params) => {
		const { bracketedPasteMode, sendFocus } = t.modes();
		old(params);
		Object.assign(t.modes(), { bracketedPasteMode, sendFocus });
		return true;
	});
}

function decaln_resets_margins(t) {
	t.around('screenAlignmentPattern', (old) => {
		t.modes().origin = false;
		t.buffer.scrollTop = 0;
		t.buffer.scrollBottom = t.rows - 1;
		const pen = t.pen;
		t.pen = new pen.constructor();
		old();
		t.pen = pen;
		return true;
	});
}

// ----------------------------------------------------------------- strings

// States and actions of the parser.
const ESCAPE = 1, APC = 7, OSC = 8, DCS = 13, OSC_ESCAPE = 14, DCS_ESCAPE = 15;
const IGNORE = 0, CLEAR = 11, OSC_END = 6, DCS_UNHOOK = 14;

// All terminals share the table: this one gets its own.
function ownTable(t) {
	const all = t.parser._transitions;
	const own = Object.create(Object.getPrototypeOf(all));
	own.table = new all.table.constructor(16 << 8);
	own.table.set(all.table);
	t.parser._transitions = own;
	return own;
}

function strings_take_utf8(t) {
	ownTable(t).add(0xa0, APC, IGNORE, APC);
}

// A string ends with the whole of ESC \, and any other ESC aborts it.
function strings_end_with_st(t) {
	const own = ownTable(t);
	for (const [string, escaped, end] of [[OSC, OSC_ESCAPE, OSC_END],
		[DCS, DCS_ESCAPE, DCS_UNHOOK]]) {
		own.table.copyWithin(escaped << 8, ESCAPE << 8, (ESCAPE + 1) << 8);
		own.add(0x1b, string, CLEAR, escaped);
		own.add(0x5c, escaped, end, 0);
	}
}

// ------------------------------------------------------------ the history

// The oldest row of the history continues nothing.
function oldest_row_continues_nothing(t) {
	const cut = () => {
		const { lines, ybase } = t.buffers.normal;
		if (ybase > 0)
			lines.get(0).isWrapped = false;
	};
	for (const [object, name] of [[t.screen, 'dump'], [t.core, 'resize']]) {
		t.replace(object, name, (old, ...args) => {
			cut();
			return old(...args);
		});
	}
}

// ------------------------------------------------------------------ resize

// Text cut off by a narrower alternate screen does not come back, and editing
// meanwhile does not touch it.
function alt_is_cut(t) {
	t.replace(t.core, 'resize', (old, ...args) => {
		old(...args);
		const { lines } = t.buffers.alt;
		for (let y = 0; y < lines.length; y++) {
			const line = lines.get(y);
			line.resize(t.cols, t.buffers.alt.getNullCell());
			if (line.getWidth(t.cols - 1) === 2)
				t.clearCell(line, t.cols - 1);
		}
	});
}

// A resize while the screen is hidden leaves it room for more rows than it
// has, and so a scrollback of its own.
function alt_has_no_scrollback(t) {
	t.replace(t.core, 'resize', (old, ...args) => {
		old(...args);
		if (t.buffers.alt.lines.length === 0)
			t.buffers.alt.lines.maxLength = t.rows;
	});
}

// Reflow copies the clusters of a row without regard to the number of cells it
// copies, and overwrites those of others.  All terminals share the class.
let clustersMoveAlone = false;

function reflow_moves_clusters(t) {
	const Line = t.row(0).constructor;
	clustersMoveAlone = true;
	if (Line.tendCopy)
		return;
	Line.tendCopy = Line.prototype.copyCellsFrom;
	Line.prototype.copyCellsFrom = function (from, x, to, length, reverse) {
		const kept = { ...this._combined };
		const moved = { ...from._combined };
		Line.tendCopy.call(this, from, x, to, length, reverse);
		if (!clustersMoveAlone)
			return;
		this._combined = kept;
		for (let i = 0; i < length; i++) {
			if (x + i in moved)
				this._combined[to + i] = moved[x + i];
		}
	};
}

function resize_keeps_pending_wrap(t) {
	t.replace(t.core, 'resize', (old, ...args) => {
		const { cols, buffer } = t;
		const line = buffer.lines.get(buffer.ybase + buffer.y);
		const pending = buffer.x === cols && buffer === t.buffers.normal
			&& (line.hasContent(cols - 1) || line.getWidth(cols - 1) === 0);
		old(...args);
		if (pending && t.cols === cols)
			buffer.x = cols;
	});
}

const LESSONS = {
	sgr_6_blinks, sgr_incomplete, sgr_colon_without_space,
	sgr_empty_underline, sgr_0_keeps_protection,
	zwj_needs_emoji, selector_needs_emoji, ascii_never_joins,
	marks_do_not_widen, no_width_is_not_shown,
	pen_keeps_last_char, rep_repeats_apart, resize_forgets_last_char,
	halves_end_together, sd_takes_background, left_and_right_margins,
	erase_above_at_the_edge, wide_without_wrap,
	wrap_in_place, erase_ends_pending_wrap, shifting_keeps_pending_wrap,
	clearing_the_screen_ends_pending_wrap, only_1049_paints_the_screen,
	margins_are_shared, decstr_ends_protection,
	c1_ri, origin_is_added_once, decsc_saves_all, tabs_are_shared,
	tabs_stay_on_resize,
	ris_resets_all, decstr_keeps_input_modes, decaln_resets_margins,
	oldest_row_continues_nothing, strings_take_utf8, strings_end_with_st, alt_is_cut, alt_has_no_scrollback,
	resize_keeps_pending_wrap, reflow_moves_clusters,
};

export const lessons = Object.keys(LESSONS);

export function teach(screen, untaught) {
	const pupil = new Pupil(screen);
	clustersMoveAlone = false;
	for (const [name, lesson] of Object.entries(LESSONS)) {
		if (!untaught.includes(name))
			lesson(pupil);
	}
}
