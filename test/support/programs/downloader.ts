// Downloads `owner/repo:Q8_0` as a window does: `downloader STORE ADDRESS`. Prints the received bytes, then the outcome.
import { Downloads } from '../../../extension/src/download/downloads.js';
import { selectModel } from '../../../extension/src/download/repository.js';

const [store = '', address = ''] = process.argv.slice(2);
const REFERENCE = { kind: 'repository', repository: 'owner/repo', revision: 'main', file: null } as const;

async function main(): Promise<void> {
  const downloads = new Downloads({
    store,
    repositoryUrl: () => address,
    token: async () => null,
    inspect: async () => null,
    stallMs: 60_000,
    reservedBytes: 0,
  });
  const model = selectModel((await downloads.modelsOf(REFERENCE, new AbortController().signal)) ?? [], 'Q8_0');
  if (model === null) throw new Error('there is no such model');
  const download = await downloads.prepare(downloads.planForModel(REFERENCE, model, 'Model'), '');
  download.onDidChange(() => {
    if (download.state.kind === 'downloading') console.log(JSON.stringify(download.state.receivedBytes));
  });
  const outcome = await download.start();
  console.log(JSON.stringify(outcome.kind === 'failed' ? outcome.error.kind : outcome.kind));
}

void main();
