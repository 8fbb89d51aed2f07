import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryFolder } from '../temporary-folder.js';

const RESIZES = 5;

/** A disk of a few bytes: a memory file system of Linux. Only root may mount one. */
export class SmallDisk {
  readonly #folder = new TemporaryFolder();
  readonly path = this.#folder.file('disk');

  private constructor(bytes: number) {
    mkdirSync(this.path);
    mount(['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.path]);
  }

  /** Null where this user may not mount; says so, or throws if the tests need it. */
  static mount(bytes: number): SmallDisk | null {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) {
      return skipped('only root on Linux can mount a small disk.');
    }
    try {
      return new SmallDisk(bytes);
    } catch (error) {
      return skipped(`no small disk can be mounted here: ${String(error)}`);
    }
  }

  /** Also makes a disk that can only be read writable again. */
  resize(bytes: number): void {
    // Beside other mounts, a disk once took more than the size that `mount` had accepted.
    for (let left = RESIZES; left > 0; left--) {
      mount(['-o', `remount,rw,size=${bytes}`, this.path]);
      if (this.#bytes() === bytes) return;
    }
    throw new Error(`${this.path} has ${this.#bytes()} bytes and should have ${bytes}`);
  }

  #bytes(): number {
    const { blocks, bsize } = statfsSync(this.path);
    return blocks * bsize;
  }

  /** Fills it to the last byte. @returns the file that does; removing it makes room */
  fill(): string {
    const ballast = join(this.path, 'ballast');
    const { bavail, bsize } = statfsSync(this.path);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    return ballast;
  }

  makeReadOnly(): void {
    mount(['-o', 'remount,ro', this.path]);
  }

  dispose(): void {
    spawnSync('umount', [this.path]);
    this.#folder.dispose();
  }
}

/** A test of faults that nobody runs shows nothing, so CI asks for them. @throws Error if the tests are required */
function skipped(reason: string): null {
  if (process.env.INKLING_DISK_TESTS === 'required') throw new Error(reason);
  console.warn(`SKIPPED, ${reason}`);
  return null;
}

function mount(args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(stderr.trim());
}
