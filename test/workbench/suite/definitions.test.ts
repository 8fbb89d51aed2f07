import assert from 'node:assert/strict';
import { Uri, window, workspace } from 'vscode';
import { reportDefinitions } from '../../../extension/src/definitions.js';
import { closeDocument } from './inkling.js';

const MAIN = `import { makeBasket } from './basket';

const own = 1;
const basket = makeBasket();
const sum = basket.total() + own;
`;

describe('definitions from the language server', () => {
  let folder: Uri;

  before(async () => {
    const root = workspace.workspaceFolders?.[0]?.uri;
    assert.ok(root, 'no workspace is open');
    folder = Uri.joinPath(root, 'definitions-test');
    await workspace.fs.writeFile(Uri.joinPath(folder, 'main.ts'), Buffer.from(MAIN));
  });

  after(() => workspace.fs.delete(folder, { recursive: true }));
  afterEach(closeDocument);

  it('are not asked for where the settings say no', async () => {
    let told = 0;
    const reporting = reportDefinitions(
      () => {
        told += 1;
      },
      () => false,
    );
    try {
      await window.showTextDocument(Uri.joinPath(folder, 'main.ts'));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.equal(told, 0);
    } finally {
      reporting.dispose();
    }
  });
});
