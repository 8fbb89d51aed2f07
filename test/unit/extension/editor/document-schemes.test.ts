import { describe, expect, it } from 'vitest';
import { describeUnservedScheme } from '../../../../extension/src/editor/document-schemes.js';

describe('a document', () => {
  it.each(['file', 'untitled', 'vscode-notebook-cell', 'vscode-vfs', 'ssh', 'vsls'])(
    'of the kind %s is served',
    (kind) => {
      expect(describeUnservedScheme(kind)).toBeNull();
    },
  );

  it.each(['git', 'output', 'ftp', 'vscode-userdata', 'FILE', 'inkling-report'])(
    'of the kind %s gets no suggestions, for a reason that names it',
    (kind) => {
      expect(describeUnservedScheme(kind)).toContain(`documents of the kind "${kind}".`);
    },
  );
});
