// Makes media/inkling.woff, a font with one glyph, from media/inkling.svg: `node extension/icon-font.mjs`. The status bar
// takes icons from fonts only. A layout test fails if the font is older than the picture.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMain } from '../test/support/is-main.mjs';

const root = path.resolve(import.meta.dirname, '..');
const PICTURE = 'media/inkling.svg';
export const FONT = 'media/inkling.woff';

/** `fontCharacter` of package.json. */
const CHARACTER = 0xe000;
const UNITS_PER_EM = 1024;
/** The square of the picture that fills the glyph's box: the drop is then as high as VS Code's own icons. */
const VISIBLE = { left: 1.5, bottom: 21.75, size: 21 };
/** A curve becomes that many lines: at the status bar's 16 pixels nobody sees a corner. */
const LINES_PER_CURVE = 16;

/** @returns {Buffer} the font as WOFF, whose tables are not compressed: compression differs between versions of zlib */
export function iconFont() {
  const picture = readFileSync(path.join(root, PICTURE), 'utf8');
  const outline = / d="([^"]+)"/.exec(picture)?.[1];
  if (outline === undefined) throw new Error(`${PICTURE} has no path`);
  const contours = contoursOf(outline).map((points) => points.map(toFontUnits));
  return woff(tablesOf(contours));
}

function toFontUnits([x, y]) {
  const scale = UNITS_PER_EM / VISIBLE.size;
  return [Math.round((x - VISIBLE.left) * scale), Math.round((VISIBLE.bottom - y) * scale)];
}

/** Closed polygons of an SVG path with the commands M, m, C, c, A, a, h, v and Z. */
function contoursOf(outline) {
  const contours = [];
  let points = [];
  let [x, y] = [0, 0];
  for (const [, command, parameters] of outline.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const numbers = (parameters.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    const isRelative = command === command.toLowerCase();
    const place = (at) => [numbers[at] + (isRelative ? x : 0), numbers[at + 1] + (isRelative ? y : 0)];
    switch (command) {
      case 'M':
      case 'm':
        [x, y] = place(0);
        points = [[x, y]];
        contours.push(points);
        break;
      case 'C':
      case 'c':
        for (let at = 0; at < numbers.length; at += 6) {
          const [first, second, end] = [place(at), place(at + 2), place(at + 4)];
          points.push(...bezier([x, y], first, second, end));
          [x, y] = end;
        }
        break;
      case 'A':
      case 'a': {
        const [radius, , , , sweep] = numbers;
        const end = place(5);
        points.push(...arc([x, y], radius, sweep === 1, end));
        [x, y] = end;
        break;
      }
      case 'h':
        x += numbers[0];
        points.push([x, y]);
        break;
      case 'v':
        y += numbers[0];
        points.push([x, y]);
        break;
      case 'Z':
        [[x, y]] = points;
        break;
      default:
        throw new Error(`${PICTURE}: the path command ${command} is not supported`);
    }
  }
  return contours;
}

function bezier([x0, y0], [x1, y1], [x2, y2], [x3, y3]) {
  return fractions().map((f) => {
    const g = 1 - f;
    const [a, b, c, d] = [g ** 3, 3 * g * g * f, 3 * g * f * f, f ** 3];
    return [a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3];
  });
}

/** The smaller arc of a circle. `clockwise` as the picture is seen. */
function arc([x0, y0], radius, clockwise, [x1, y1]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const half = Math.hypot(dx, dy) / 2;
  const height = Math.sqrt(Math.max(0, radius ** 2 - half ** 2)) * (clockwise ? 1 : -1);
  const [cx, cy] = [(x0 + x1) / 2 - (dy / (2 * half)) * height, (y0 + y1) / 2 + (dx / (2 * half)) * height];
  const from = Math.atan2(y0 - cy, x0 - cx);
  let turn = Math.atan2(y1 - cy, x1 - cx) - from;
  if (clockwise && turn < 0) turn += 2 * Math.PI;
  if (!clockwise && turn > 0) turn -= 2 * Math.PI;
  return fractions().map((f) => [cx + radius * Math.cos(from + turn * f), cy + radius * Math.sin(from + turn * f)]);
}

function fractions() {
  return Array.from({ length: LINES_PER_CURVE }, (_, index) => (index + 1) / LINES_PER_CURVE);
}

/** The tables that browsers require, in the format's order: by name. */
function tablesOf(contours) {
  const points = contours.flat();
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const glyph = glyphOf(contours, box);
  const em = UNITS_PER_EM;
  const zeros = (count) => Array(count).fill(0);
  // Glyph 0, for characters that the font lacks, is empty.
  return {
    'OS/2': pack(
      `HhHHH${'h'.repeat(11)}${'B'.repeat(10)}IIIIIHHHhhhHHIIhhHHH`,
      [4, em, 400, 5, 0, ...zeros(11), ...zeros(10), 0, 1 << 28, 0, 0, 0, 0x40, CHARACTER, CHARACTER],
      [em, 0, 0, em, 0, 0, 0, 0, em, 0, 0, 0],
    ),
    cmap: pack(
      'HHHHIHHHHHHHHHHHHHHHH',
      [0, 1, 3, 1, 12, 4, 32, 0, 4, 4, 1, 0, CHARACTER, 0xffff, 0, CHARACTER, 0xffff],
      [(1 - CHARACTER) & 0xffff, 1, 0, 0],
    ),
    glyf: glyph,
    head: pack('HHIIIHHIIIIhhhhHHhhh', [1, 0, 0x10000, 0, 0x5f0f3cf5, 0, em, ...zeros(4), ...box, 0, 8, 2, 1, 0]),
    hhea: pack(`HHhhhHhhh${'h'.repeat(8)}H`, [1, 0, em, 0, 0, em, box[0], em - box[2], box[2], 1, ...zeros(7), 2]),
    hmtx: pack('HhHh', [em, 0, em, box[0]]),
    loca: pack('III', [0, 0, glyph.length]),
    maxp: pack(`I${'H'.repeat(14)}`, [0x10000, 2, points.length, contours.length, 0, 0, 1, ...zeros(8)]),
    name: nameTable({ 1: 'Inkling', 2: 'Regular', 4: 'Inkling', 6: 'Inkling' }),
    post: pack('IIhhIIIII', [0x30000, ...zeros(8)]),
  };
}

function glyphOf(contours, box) {
  const points = contours.flat();
  let last = -1;
  const ends = contours.map(({ length }) => {
    last += length;
    return last;
  });
  const steps = (axis) => points.map((point, index) => point[axis] - (points[index - 1]?.[axis] ?? 0));
  const onCurve = points.map(() => 1);
  return padded(
    pack(
      `hhhhh${'H'.repeat(ends.length + 1)}${'B'.repeat(points.length)}${'h'.repeat(2 * points.length)}`,
      [contours.length, ...box, ...ends, 0, ...onCurve],
      [...steps(0), ...steps(1)],
    ),
  );
}

/** For Windows' platform in American English, which every reader knows. */
function nameTable(names) {
  const texts = Object.values(names).map((text) => Buffer.from(text, 'utf16le').swap16());
  let offset = 0;
  const records = Object.keys(names).map((id, index) => {
    const { length } = texts[index];
    offset += length;
    return pack('HHHHHH', [3, 1, 0x409, Number(id), length, offset - length]);
  });
  const head = pack('HHH', [0, records.length, 6 + 12 * records.length]);
  return Buffer.concat([head, ...records, ...texts]);
}

function woff(tables) {
  const entries = Object.entries(tables);
  let offset = 44 + 20 * entries.length;
  let plainSize = 12 + 16 * entries.length;
  const directory = entries.map(([name, data]) => {
    const { length } = data;
    const entry = Buffer.concat([Buffer.from(name), pack('IIII', [offset, length, length, checksum(data)])]);
    offset += padded(data).length;
    plainSize += padded(data).length;
    return entry;
  });
  const head = pack('IIIHHIHHIIIII', [0x774f4646, 0x10000, offset, entries.length, 0, plainSize, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...directory, ...entries.map(([, data]) => padded(data))]);
}

function checksum(data) {
  const whole = padded(data);
  let sum = 0;
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0;
  return sum;
}

function padded(data) {
  return Buffer.concat([data, Buffer.alloc(-data.length & 3)]);
}

/** Numbers, big-endian: B is a byte, H and h are 16 bits, I is 32 bits; h has a sign. */
function pack(format, ...values) {
  const numbers = values.flat();
  if (numbers.length !== format.length)
    throw new Error(`${format} needs ${format.length} numbers, not ${numbers.length}`);
  const parts = [...format].map((kind, index) => {
    const part = Buffer.alloc({ B: 1, H: 2, h: 2, I: 4 }[kind]);
    if (kind === 'h') part.writeInt16BE(numbers[index]);
    else part.writeUIntBE(numbers[index], 0, part.length);
    return part;
  });
  return Buffer.concat(parts);
}

if (isMain(import.meta.url)) writeFileSync(path.join(root, FONT), iconFont());
