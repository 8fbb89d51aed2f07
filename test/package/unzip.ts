import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const DEFLATED = 8;

/**
 * Unpacks a VSIX, which is a ZIP file without comment, encryption and parts over 4 GB.
 * @returns the names of its files
 * @throws Error for another file
 */
export function unzip(file: string, folder: string): readonly string[] {
  const bytes = readFileSync(file);
  const end = bytes.length - END_BYTES;
  if (end < 0 || bytes.readUInt32LE(end) !== END_SIGNATURE) throw new Error(`${file} is no ZIP file`);
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameBytes ?? 0));
    const target = path.join(folder, name);
    if (path.relative(folder, target).startsWith('..')) throw new Error(`${name} would lie outside`);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, contentAt(bytes, bytes.readUInt32LE(at + 42), bytes.readUInt32LE(at + 20)));
    names.push(name);
    at += 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return names;
}

function contentAt(bytes: Buffer, header: number, size: number): Buffer {
  const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const content = bytes.subarray(start, start + size);
  return bytes.readUInt16LE(header + 8) === DEFLATED ? inflateRawSync(content) : content;
}
