import { readFileSync } from 'node:fs';

/** Linux reports hundredths of a second, whatever the kernel's own clock. */
const MS_PER_TICK = 10;

/** Processor time used by all threads of a process so far, in milliseconds (Linux only). */
export function processCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain blanks; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
