// Takes a lock many times and counts in a file while it holds it: `lock-contender LOCK COUNTER TIMES`.
import { readFileSync, writeFileSync } from 'node:fs';
import { LockFile } from '../../../server/src/util/lock-file.js';

const [lockPath = '', counterPath = '', times = '0'] = process.argv.slice(2);

for (let left = Number(times); left > 0; ) {
  const lock = LockFile.take(lockPath);
  if (lock === null) continue;
  writeFileSync(counterPath, String(Number(readFileSync(counterPath, 'utf8')) + 1));
  lock.release();
  left -= 1;
}
console.log(JSON.stringify('done'));
