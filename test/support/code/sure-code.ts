import type { Position } from 'vscode-languageserver-protocol';
import { anchorIn } from './fixtures.js';
import { positionIn } from './text-position.js';

/** A place where any code model is sure what comes next: the lines above do the same thing several times. */
export interface SureCode {
  readonly languageId: string;
  /** The document, in which the expected text is missing. */
  readonly text: string;
  readonly offset: number;
  readonly position: Position;
  /** What a suggestion there begins with. */
  readonly expected: string;
}

const TYPESCRIPT = `export function readSettings(read: (name: string) => string): Settings {
  return {
    address: read('address'),
    browser: read('browser'),
    country: read('country'),
    details: read('details'),
    engine: read('engine'),
    folder: read('folder'),
  };
}
`;

const JAVASCRIPT = `export function writeSettings(write, settings) {
  write('address', settings.address);
  write('browser', settings.browser);
  write('country', settings.country);
  write('details', settings.details);
  write('engine', settings.engine);
  write('folder', settings.folder);
}
`;

const PYTHON = `def read_settings(read):
    return {
        "address": read("address"),
        "browser": read("browser"),
        "country": read("country"),
        "details": read("details"),
        "engine": read("engine"),
        "folder": read("folder"),
    }
`;

const FUNCTIONS = ['Address', 'Browser', 'Country', 'Details', 'Engine', 'Folder']
  .map((name) => `export function is${name}(text: string): boolean {\n  return text === '${name.toLowerCase()}';\n}\n`)
  .join('\n');

/** Before the last value of a list; the rest of the line is missing. */
export function sureCode(languageId: 'typescript' | 'javascript' | 'python' = 'typescript'): SureCode {
  switch (languageId) {
    case 'typescript':
      return cut(languageId, TYPESCRIPT, 'folder: ', "read('folder')", ',');
    case 'javascript':
      return cut(languageId, JAVASCRIPT, "write('folder', ", 'settings.folder', ');');
    case 'python':
      return cut(languageId, PYTHON, '"folder": ', 'read("folder")', ',');
  }
}

/** Before the last argument of a call, whose bracket the editor has closed already. */
export function sureArgument(): SureCode {
  return cut('javascript', JAVASCRIPT, "write('folder', ", 'settings.folder');
}

/** Behind the open brace of a function; its one statement and its end are missing. */
export function sureBlock(): SureCode {
  const [head, body] = ['isFolder(text: string): boolean {', "\n  return text === 'folder';"];
  return cut('typescript', FUNCTIONS, head, body, '\n}');
}

/** @param rest after the expected text, missing too */
function cut(languageId: string, source: string, before: string, expected: string, rest = ''): SureCode {
  const offset = anchorIn(source, before + expected + rest) + before.length;
  const text = source.slice(0, offset) + source.slice(offset + expected.length + rest.length);
  return { languageId, text, offset, position: positionIn(text, offset), expected };
}
