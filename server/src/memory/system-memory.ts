import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ifReadable } from '../util/if-readable.js';
import type { MemoryPressure } from './shed-policy.js';

/** Below these shares of available memory the pressure is low or critical. */
const LOW_SHARE = 0.08;
const CRITICAL_SHARE = 0.04;

/** Percent of the last ten seconds in which some, or all, processes waited for memory (Linux PSI, `avg10`). */
const LOW_STALL_PERCENT = 10;
const CRITICAL_STALL_PERCENT = 10;

const PROGRAM_TIME_LIMIT_MS = 2_000;

const run = promisify(execFile);

/** The system's figures on memory, if available. */
export interface MemorySigns {
  readonly availableBytes: number;
  readonly totalBytes: number;
  /** Percent; 0 if the system does not measure it. */
  readonly someStalled: number;
  readonly allStalled: number;
}

function judgePressure({ availableBytes, totalBytes, someStalled, allStalled }: MemorySigns): MemoryPressure {
  const share = availableBytes / totalBytes;
  if (share < CRITICAL_SHARE || allStalled > CRITICAL_STALL_PERCENT) return 'critical';
  return share < LOW_SHARE || someStalled > LOW_STALL_PERCENT ? 'low' : 'none';
}

/**
 * Linux: `MemAvailable`, the container's limit, and how long processes wait for memory. macOS: the kernel's own level,
 * since free pages say nothing there. Elsewhere: free memory. Never rejects; an unreadable value counts as no pressure.
 */
export async function readPressure(): Promise<MemoryPressure> {
  switch (process.platform) {
    case 'linux':
      return readLinuxPressure('/');
    case 'darwin':
      return parseDarwinLevel(await outputOf('/usr/sbin/sysctl', ['-n', 'kern.memorystatus_vm_pressure_level']));
    default:
      return judgePressure({ availableBytes: freemem(), totalBytes: totalmem(), someStalled: 0, allStalled: 0 });
  }
}

/** Whether the machine runs on battery (Linux and macOS). Never rejects; an unreadable value counts as mains power. */
export async function readOnBattery(): Promise<boolean> {
  switch (process.platform) {
    case 'linux':
      return readLinuxBattery('/');
    case 'darwin':
      return (await outputOf('/usr/bin/pmset', ['-g', 'batt'])).includes("'Battery Power'");
    default:
      return false;
  }
}

/** @param root `/`, or a folder in its place */
export async function readLinuxPressure(root: string): Promise<MemoryPressure> {
  const read = (path: string) => textOf(join(root, path));
  const [info, stalls, limit, used, parts] = await Promise.all([
    read('proc/meminfo'),
    read('proc/pressure/memory'),
    read('sys/fs/cgroup/memory.max'),
    read('sys/fs/cgroup/memory.current'),
    read('sys/fs/cgroup/memory.stat'),
  ]);
  const kibibytes = (name: string) => numberAfter(info, `^${name}:\\s+`) * 1024;
  const machine = { availableBytes: kibibytes('MemAvailable'), totalBytes: kibibytes('MemTotal') };
  if (machine.totalBytes === 0) return 'none';
  const someStalled = numberAfter(stalls, '^some avg10=');
  const allStalled = numberAfter(stalls, '^full avg10=');
  const signs = { someStalled, allStalled };
  const whole = judgePressure({ ...machine, ...signs });

  const limitBytes = numberAfter(limit, '^');
  if (limitBytes === 0) return whole;
  // Cached files count as used there, but the system drops them when it needs memory.
  const cached = numberAfter(parts, '^inactive_file ') + numberAfter(parts, '^active_file ');
  const availableBytes = limitBytes - numberAfter(used, '^') + cached;
  return worse(whole, judgePressure({ availableBytes, totalBytes: limitBytes, ...signs }));
}

/** @param root `/`, or a folder in its place */
export async function readLinuxBattery(root: string): Promise<boolean> {
  const folder = join(root, 'sys/class/power_supply');
  const names = (await ifReadable(readdir(folder))) ?? [];
  const supplies = await Promise.all(
    names.map(async (name) => ({
      type: (await textOf(join(folder, name, 'type'))).trim(),
      scope: (await textOf(join(folder, name, 'scope'))).trim(),
      online: (await textOf(join(folder, name, 'online'))).trim(),
      state: (await textOf(join(folder, name, 'status'))).trim(),
    })),
  );
  // Batteries of mice and keyboards have the scope `Device`.
  const own = supplies.filter(({ scope }) => scope !== 'Device');
  const onMains = own.some(({ type, online }) => type !== 'Battery' && online === '1');
  return !onMains && own.some(({ type, state }) => type === 'Battery' && state === 'Discharging');
}

/** 1 normal, 2 warning, 4 critical. */
export function parseDarwinLevel(output: string): MemoryPressure {
  const level = output.trim();
  if (level === '4') return 'critical';
  return level === '2' ? 'low' : 'none';
}

function worse(left: MemoryPressure, right: MemoryPressure): MemoryPressure {
  const order: readonly MemoryPressure[] = ['none', 'low', 'critical'];
  return order[Math.max(order.indexOf(left), order.indexOf(right))] ?? 'none';
}

/** 0 if the text has no such number. */
function numberAfter(text: string, prefix: string): number {
  return Number(new RegExp(`${prefix}(\\d+(?:\\.\\d+)?)`, 'm').exec(text)?.[1] ?? 0);
}

async function textOf(path: string): Promise<string> {
  return (await ifReadable(readFile(path, 'utf8'))) ?? '';
}

async function outputOf(program: string, options: readonly string[]): Promise<string> {
  try {
    return (await run(program, [...options], { timeout: PROGRAM_TIME_LIMIT_MS })).stdout;
  } catch {
    return '';
  }
}
