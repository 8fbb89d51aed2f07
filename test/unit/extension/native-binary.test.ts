import { describe, expect, test } from 'vitest';
import { byVersion, neededGlibc, refusal, targetOf } from '../../../extension/native-binary.mjs';

function elf(machine: number, text = ''): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01', 'latin1');
  header.writeUInt16LE(machine, 18);
  return Buffer.concat([header, Buffer.from(text, 'latin1')]);
}

function machO(processor: number): Buffer {
  const header = Buffer.alloc(64);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(processor, 4);
  return header;
}

function portable(machine: number, text = ''): Buffer {
  const header = Buffer.alloc(128);
  header.write('MZ', 'latin1');
  header.writeUInt32LE(96, 0x3c);
  header.write('PE\0\0', 96, 'latin1');
  header.writeUInt16LE(machine, 100);
  return Buffer.concat([header, Buffer.from(text, 'latin1')]);
}

describe('a native module', () => {
  test.each([
    ['linux-x64', elf(62)],
    ['linux-arm64', elf(183)],
    ['darwin-arm64', machO(0x0100000c)],
    ['darwin-x64', machO(0x01000007)],
    ['win32-x64', portable(0x8664)],
    ['an unknown processor', elf(243)],
    ['a short file', Buffer.from('\x7fELF', 'latin1')],
    ['no binary', Buffer.alloc(200, 'x')],
  ])('%s is known by its header', (name, bytes) => {
    expect(targetOf(bytes)).toBe(name.includes(' ') ? null : name);
  });

  test.each([
    ['\0GLIBC_2.9\0GLIBC_2.36\0GLIBC_2.2.5\0', '2.36'],
    ['\0GLIBC_2.17\0', '2.17'],
    ['\0GLIBC_PRIVATE\0', null],
    ['the text GLIBC_2.99 in a message', null],
  ])('%j needs glibc %s', (text, version) => {
    expect(neededGlibc(elf(62, text))).toBe(version);
  });

  test('versions are compared as numbers', () => {
    expect(['2.36', '2.4', '2.28'].sort(byVersion)).toEqual(['2.4', '2.28', '2.36']);
  });

  test.each([
    ['of another platform', portable(0x8664), 'linux-x64', 'is for win32-x64, not for linux-x64'],
    ['of no platform', Buffer.alloc(100), 'linux-x64', 'is for an unknown system, not for linux-x64'],
    ['with a newer glibc', elf(62, '\0GLIBC_2.36\0'), 'linux-x64', 'needs glibc 2.36; the newest allowed is 2.35'],
    ['with a compiler library', elf(62, '\0libstdc++.so.6\0'), 'linux-x64', 'needs libstdc++.so.6'],
    ['with a DLL of GCC', portable(0x8664, '\0libwinpthread-1.dll\0'), 'win32-x64', 'needs libwinpthread-1.dll'],
  ])('%s is refused', (_, bytes, target, reason) => {
    expect(refusal(bytes, target, '2.35')).toContain(reason);
  });

  test('for its target is not refused', () => {
    expect(refusal(elf(183, '\0GLIBC_2.35\0'), 'linux-arm64', '2.35')).toBeNull();
    expect(refusal(portable(0x8664), 'win32-x64')).toBeNull();
  });
});
