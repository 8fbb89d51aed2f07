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
