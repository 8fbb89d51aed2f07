// Takes a lock many times and counts in a file while it holds it. Is killed while it holds it once more:
// `lock-contender LOCK COUNTER TIMES`.
import { readFileSync, writeFileSync } from 'node:fs';
import { LockFile } from '../../../server/src/util/files/lock-file.js';

const [lockPath = '', counterPath = '', times = '0'] = process.argv.slice(2);

function takeLock(): LockFile {
  for (;;) {
    const lock = LockFile.take(lockPath);
    if (lock !== null) return lock;
  }
}

for (let count = 0; count < Number(times); count += 1) {
  const lock = takeLock();
  writeFileSync(counterPath, String(Number(readFileSync(counterPath, 'utf8')) + 1));
  lock.release();
}
takeLock();
console.log(JSON.stringify('done'));
process.kill(process.pid, 'SIGKILL');
