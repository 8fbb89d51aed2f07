import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  parseDarwinLevel,
  readLinuxBattery,
  readLinuxPressure,
  readOnBattery,
  readPressure,
} from '../../../../server/src/memory/system-memory.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

let root: TemporaryFolder;
beforeEach(() => {
  root = new TemporaryFolder();
});
afterEach(() => root.dispose());

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(root.file(name)), { recursive: true });
    writeFileSync(root.file(name), text);
  }
}

const meminfo = (available: number) => `MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    ${available} kB\n`;
const stalls = (some: number, full: number) =>
  `some avg10=${some.toFixed(2)} avg60=0.00 avg300=0.00 total=1\nfull avg10=${full.toFixed(2)} avg60=0.00 total=1\n`;

describe('pressure on Linux', () => {
  it.each([
    [{ 'proc/meminfo': meminfo(500) }, 'none'],
    [{ 'proc/meminfo': meminfo(70) }, 'low'],
    [{ 'proc/meminfo': meminfo(30) }, 'critical'],
    [{ 'proc/meminfo': meminfo(500), 'proc/pressure/memory': stalls(12, 0) }, 'low'],
    [{ 'proc/meminfo': meminfo(500), 'proc/pressure/memory': stalls(30, 11) }, 'critical'],
    [{}, 'none'],
  ])('of %j is %s', async (files, expected) => {
    write(files);
    expect(await readLinuxPressure(root.path)).toBe(expected);
  });

  it('follows the limit of a container, where cached files do not count', async () => {
    const group = (current: number, cached: number) => ({
      'proc/meminfo': meminfo(500),
      'sys/fs/cgroup/memory.max': '1000000\n',
      'sys/fs/cgroup/memory.current': `${current}\n`,
      'sys/fs/cgroup/memory.stat': `anon 5\ninactive_file ${cached}\nactive_file 0\n`,
    });
    write(group(990_000, 500_000));
    expect(await readLinuxPressure(root.path)).toBe('none');
    write(group(990_000, 0));
    expect(await readLinuxPressure(root.path)).toBe('critical');
    write({ ...group(990_000, 0), 'sys/fs/cgroup/memory.max': 'max\n' });
    expect(await readLinuxPressure(root.path)).toBe('none');
  });
});

describe('battery on Linux', () => {
  const supply = (name: string, facts: Record<string, string>) =>
    write(
      Object.fromEntries(
        Object.entries(facts).map(([key, value]) => [`sys/class/power_supply/${name}/${key}`, `${value}\n`]),
      ),
    );

  it('is in use while it discharges and no charger is connected', async () => {
    expect(await readLinuxBattery(root.path)).toBe(false);
    supply('BAT0', { type: 'Battery', status: 'Discharging' });
    supply('AC', { type: 'Mains', online: '0' });
    expect(await readLinuxBattery(root.path)).toBe(true);
    supply('AC', { type: 'Mains', online: '1' });
    expect(await readLinuxBattery(root.path)).toBe(false);
  });

  it('ignores the battery of a mouse', async () => {
    supply('hidpp_battery_0', { type: 'Battery', status: 'Discharging', scope: 'Device' });
    expect(await readLinuxBattery(root.path)).toBe(false);
  });
});

it('reads the level of macOS', () => {
  expect(['1\n', '2\n', '4\n', ''].map(parseDarwinLevel)).toEqual(['none', 'low', 'critical', 'none']);
});

it('answers on this machine', async () => {
  expect(['none', 'low', 'critical']).toContain(await readPressure());
  expect(await readOnBattery()).toBeTypeOf('boolean');
});
