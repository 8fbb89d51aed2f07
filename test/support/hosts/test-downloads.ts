import { afterEach, beforeEach } from 'vitest';
import { Downloads, type DownloadsOptions } from '../../../extension/src/download/downloads.js';
import { TemporaryFolder } from '../temporary-folder.js';
import { ModelServer } from './model-server.js';

/** A server of models and an empty store. */
export class TestDownloads {
  private constructor(
    readonly server: ModelServer,
    readonly folder: TemporaryFolder,
  ) {}

  /** New ones for each test of the file that calls this. */
  static forEachTest(): () => TestDownloads {
    let present: TestDownloads;
    beforeEach(async () => {
      present = new TestDownloads(await ModelServer.start(), new TemporaryFolder());
    });
    afterEach(async () => {
      await present.server.stop();
      present.folder.dispose();
    });
    return () => present;
  }

  open(options: Partial<DownloadsOptions> = {}): Downloads {
    return new Downloads({
      ...{ store: this.folder.path, repositoryUrl: () => this.server.url, token: async () => null },
      ...{ inspect: async () => null, stallMs: 60_000, retryDelaysMs: [1, 1], reservedBytes: 0 },
      ...options,
    });
  }
}
