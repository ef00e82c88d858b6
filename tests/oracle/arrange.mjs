// Give xterm.js the primary screen of a dump: its rows, those above it, and
// the cursor.  After a change of size our engine has arranged the same text in
// its own way (policy "reflow"), and from then on the two are compared
// exactly.

const FG = { inverse: 0x4000000, bold: 0x8000000, ul: 0x10000000,
	blink: 0x20000000, hidden: 0x40000000, strike: 0x80000000 };
const BG = { italic: 0x4000000, faint: 0x8000000, protected: 0x20000000,
	overline: 0x40000000 };
const UNDERLINES = ['', 'single', 'double', 'curly', 'dotted', 'dashed'];

function colour(name) {
	if (name === '')
		return 0;
	return name[0] === 'p' ? 0x2000000 | name.slice(1)
		: 0x3000000 | parseInt(name.slice(1), 16);
}

// A link's URI may have commas. The attributes after it have a fixed order, so
// they are read from the end.
const LINK = /(?:^|,)link=(.*?)(?=(?:,overline)?(?:,protected)?(?:,strike)?(?:,ul=\w+)?(?:,ulc=[^,]*)?$)/;

function linkId(screen, uri) {
	for (const [id, known] of screen.uris) {
		if (known === uri)
			return id;
	}
	throw new Error(`a link that was never printed: ${uri}`);
}

function attributes(screen, [fg, bg, names]) {
	const out = new screen.term._core._inputHandler._curAttrData.constructor();
	out.fg = colour(fg);
	out.bg = colour(bg);
	const link = names.match(LINK);
	if (link) {
		out.extended.urlId = linkId(screen, link[1]);
		names = names.replace(LINK, '');
	}
	for (const name of names.split(',')) {
		const [key, value] = name.split('=');
		if (key === 'ulc')
			out.extended.underlineColor = colour(value);
		else if (key === 'ul')
			out.extended.underlineStyle = UNDERLINES.indexOf(value);
		out.fg |= FG[key] ?? 0;
		out.bg |= BG[key] ?? 0;
	}
	out.updateExtended();
	return out;
}

function styles(screen, row) {
	const out = [];
	for (const [from, to, ...style] of row.s) {
		const look = attributes(screen, style);
		for (let x = from; x < to; x++)
			out[x] = look;
	}
	return out;
}

// The cells of a row: [column, columns, code points].
function* cells(row) {
	const odd = new Map(row.c.map(([x, ...rest]) => [x, rest]));
	const points = [...row.t];
	for (let x = 0; points.length > 0;) {
		const [columns, count] = odd.get(x) ?? [1, 1];
		yield [x, columns, points.splice(0, count)];
		x += columns;
	}
}

function fill(screen, line, row) {
	const looks = styles(screen, row);
	const plain = attributes(screen, ['', '', '']);
	const isEmpty = (x) => row.e.some(([from, to]) => from <= x && x < to);

	line.isWrapped = row.w === 1;
	for (const [x, columns, points] of cells(row)) {
		const codes = isEmpty(x) ? [0] : points.map((p) => p.codePointAt(0));
		line.setCellFromCodepoint(x, codes[0], columns, looks[x] ?? plain);
		for (const code of codes.slice(1))
			line.addCodepointToCell(x, code, columns);
		if (columns === 2)
			line.setCellFromCodepoint(x + 1, 0, 0, looks[x + 1] ?? plain);
	}
}

export function arrange(screen, dump) {
	const { normal, alt } = screen.term._core.buffers;
	const rows = [...dump.scrollback, ...(dump.alt ? dump.hidden : dump.lines)];
	const plain = attributes(screen, ['', '', '']);

	normal.lines.length = 0;
	for (const row of rows) {
		const line = normal.getBlankLine(plain);
		fill(screen, line, row);
		normal.lines.push(line);
	}
	normal.ybase = normal.ydisp = dump.scrollback.length;
	[normal, alt].forEach((buffer, i) => {
		const [y, x] = dump.saved[i];
		buffer.tendSaved = { ...buffer.tendSaved, x, y };
	});
	if (!dump.alt) {
		normal.x = dump.cursor.col + dump.cursor.pending_wrap;
		normal.y = dump.cursor.row;
	}
}
