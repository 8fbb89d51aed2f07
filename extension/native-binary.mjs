// Says of a native module which target it runs on, and what it demands of the system there.

/** The oldest glibc on which the modules for Linux must load where nothing else is asked for: Debian 12's. */
export const NEWEST_GLIBC = '2.36';

/** Libraries of compilers, which a user's machine need not have. The modules contain what they use of them. */
const COMPILER_LIBRARIES =
  /\b(?:libstdc\+\+(?:\.so\.6|-6\.dll)|libgcc_s(?:\.so\.1|_seh-1\.dll)|libwinpthread-1\.dll)\0/;

/** By ELF's, Mach-O's and PE's numbers for the processor. */
const PROCESSORS = {
  linux: new Map([
    [62, 'x64'],
    [183, 'arm64'],
  ]),
  darwin: new Map([
    [0x01000007, 'x64'],
    [0x0100000c, 'arm64'],
  ]),
  win32: new Map([
    [0x8664, 'x64'],
    [0xaa64, 'arm64'],
  ]),
};

/**
 * @param {Buffer} bytes of the whole file
 * @returns {string | null} the target, such as linux-x64; null for anything else, such as a universal binary
 */
export function targetOf(bytes) {
  const [platform, number] = formatOf(bytes);
  const processor = PROCESSORS[platform]?.get(number);
  return processor === undefined ? null : `${platform}-${processor}`;
}

function formatOf(bytes) {
  if (bytes.length < 64) return [null, 0];
  // ELF of 64 bits, the lowest byte first.
  if (bytes.readUInt32BE(0) === 0x7f454c46 && bytes[4] === 2 && bytes[5] === 1)
    return ['linux', bytes.readUInt16LE(18)];
  if (bytes.readUInt32LE(0) === 0xfeedfacf) return ['darwin', bytes.readUInt32LE(4)];
  const header = bytes.readUInt32LE(0x3c);
  const isPortable = bytes.toString('latin1', 0, 2) === 'MZ' && header + 6 <= bytes.length;
  if (isPortable && bytes.toString('latin1', header, header + 4) === 'PE\0\0') {
    return ['win32', bytes.readUInt16LE(header + 4)];
  }
  return [null, 0];
}

/**
 * The glibc that a module for Linux needs. Its file names each version that a symbol asks for.
 *
 * @param {Buffer} bytes of the whole file
 * @returns {string | null} such as 2.36; null if it needs none
 */
export function neededGlibc(bytes) {
  const versions = [...bytes.toString('latin1').matchAll(/\0GLIBC_(\d+\.\d+)(?:\.\d+)?(?=\0)/g)].map(
    ([, version]) => version,
  );
  return versions.sort(byVersion).at(-1) ?? null;
}

/** @returns {number} negative if `left` is older */
export function byVersion(left, right) {
  const [a, b] = [left, right].map((each) => each.split('.').map(Number));
  return a[0] - b[0] || a[1] - b[1];
}

/**
 * Why a module must not be shipped for a target.
 *
 * @param {Buffer} bytes of the whole file
 * @param {string} target
 * @param {string} [newestGlibc] the newest that it may need
 * @returns {string | null} null if it may
 */
export function refusal(bytes, target, newestGlibc = NEWEST_GLIBC) {
  const actual = targetOf(bytes);
  if (actual !== target) return `is for ${actual ?? 'an unknown system'}, not for ${target}`;
  const [library] = bytes.toString('latin1').match(COMPILER_LIBRARIES) ?? [];
  if (library !== undefined) return `needs ${library.slice(0, -1)}, which few machines have`;
  const glibc = target.startsWith('linux-') ? neededGlibc(bytes) : null;
  if (glibc !== null && byVersion(glibc, newestGlibc) > 0)
    return `needs glibc ${glibc}; the newest allowed is ${newestGlibc}`;
  return null;
}
