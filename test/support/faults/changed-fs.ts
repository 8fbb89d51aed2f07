import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type FileSystem = typeof fs;

/** Runs what needs a file system that no test can mount, such as one without links: some functions do something else. */
export function withChangedFs(changed: Partial<FileSystem>, run: () => void): void {
  const right = Object.fromEntries(Object.keys(changed).map((name) => [name, fs[name as keyof FileSystem]]));
  Object.assign(fs, changed);
  syncBuiltinESMExports();
  try {
    run();
  } finally {
    Object.assign(fs, right);
    syncBuiltinESMExports();
  }
}

/** A function of the file system that fails with this code. */
export function refusing(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

/** How often work asks the disk what is at a path. */
export async function looksOf(work: () => Promise<unknown>): Promise<number> {
  const { realpath, lstat, stat } = fs.promises;
  let looks = 0;
  const counted = <T extends (...given: never[]) => unknown>(look: T) =>
    ((...given: Parameters<T>) => {
      looks += 1;
      return look(...given);
    }) as unknown as T;
  Object.assign(fs.promises, { realpath: counted(realpath), lstat: counted(lstat), stat: counted(stat) });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs.promises, { realpath, lstat, stat });
    syncBuiltinESMExports();
  }
  return looks;
}
