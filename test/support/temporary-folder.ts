import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A folder for one test file; `dispose` removes it. */
export class TemporaryFolder {
  readonly path = mkdtempSync(path.join(os.tmpdir(), 'inkling-test-'));

  file(name: string): string {
    return path.join(this.path, name);
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
