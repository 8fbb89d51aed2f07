// Takes a lock, says whether it has it, and holds it until it is killed: `lock-holder LOCK`.
import { LockFile } from '../../../server/src/util/files/lock-file.js';

const lock = LockFile.take(process.argv[2] ?? '');
console.log(JSON.stringify(lock !== null));
setInterval(() => lock?.touch(), 1000);
