import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports hundredths of a second, whatever the kernel's own clock. */
const MS_PER_TICK = 10;

/** Processor time used by all threads of a process so far, in milliseconds (Linux only). */
export function processCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain blanks; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Processor time of the threads that a process has now, in milliseconds to the nanosecond (Linux only). */
export function threadsCpuMs(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}
