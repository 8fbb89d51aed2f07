// Asks TypeScript where every declaration of test/fixtures/sources is used, and writes
// test/fixtures/renames/references.json. Only for new sources: node test/support/list-references.mjs
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import rpc from 'vscode-jsonrpc/node';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
// A copy, so that the compiler sees nothing of this repository as it is today.
const SOURCES = realpathSync(mkdtempSync(path.join(tmpdir(), 'references-')));
cpSync(path.join(REPOSITORY, 'test/fixtures/sources'), SOURCES, { recursive: true });
writeFileSync(path.join(SOURCES, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext", "noEmit": true } }');
const OUTPUT = path.join(REPOSITORY, 'test/fixtures/renames/references.json');
const DECLARATION = /\b(const|let|function|class|interface|type)\s+([A-Za-z_$][\w$]*)/g;
/** LSP's kind of a method. */
const METHOD = 6;

const compiler = spawn(path.join(REPOSITORY, 'node_modules/.bin/tsc'), ['--lsp', '--stdio'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(compiler.stdout),
  new rpc.StreamMessageWriter(compiler.stdin),
);
connection.onRequest((method, { items = [] }) => (method === 'workspace/configuration' ? items.map(() => null) : null));
connection.listen();
const root = { uri: pathToFileURL(SOURCES).href, name: 'sources' };
const textDocument = { documentSymbol: { hierarchicalDocumentSymbolSupport: true } };
await connection.sendRequest('initialize', {
  processId: process.pid,
  rootUri: root.uri,
  workspaceFolders: [root],
  capabilities: { textDocument },
});
await connection.sendNotification('initialized', {});

const texts = new Map();
for (const file of readdirSync(SOURCES, { recursive: true }).sort()) {
  if (!file.endsWith('.ts')) continue;
  const text = readFileSync(path.join(SOURCES, file), 'utf8');
  texts.set(file, text);
  const document = { uri: uriOf(file), languageId: 'typescript', version: 1, text };
  await connection.sendNotification('textDocument/didOpen', { textDocument: document });
}

const lines = [];
for (const [file, text] of texts) {
  for (const { kind, name, offset } of await declarationsOf(file, text)) {
    const uses = await usesOf(file, text, offset);
    if (uses !== null) lines.push(JSON.stringify({ file, kind, name, offset, uses }));
  }
}
writeFileSync(OUTPUT, `[\n${lines.join(',\n')}\n]\n`);
rmSync(SOURCES, { recursive: true });
compiler.kill();
connection.dispose();

async function declarationsOf(file, text) {
  const found = [...text.matchAll(DECLARATION)].map(({ 0: all, 1: kind, 2: name, index }) => ({
    kind,
    name,
    offset: index + all.length - name.length,
  }));
  const symbols = await connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri: uriOf(file) } });
  const open = [...symbols];
  for (const symbol of open) {
    open.push(...(symbol.children ?? []));
    const offset = offsetAt(text, symbol.selectionRange.start);
    if (symbol.kind === METHOD) found.push({ kind: 'method', name: symbol.name, offset });
  }
  return found.filter(({ name, offset }) => text.startsWith(name, offset));
}

/** Offsets by file, the declaration not among them; null where the compiler knows no declaration there. */
async function usesOf(file, text, offset) {
  const places = await connection.sendRequest('textDocument/references', {
    textDocument: { uri: uriOf(file) },
    position: positionAt(text, offset),
    context: { includeDeclaration: true },
  });
  const uses = {};
  let isDeclared = false;
  for (const { uri, range } of places ?? []) {
    const used = path.relative(SOURCES, fileURLToPath(uri));
    if (!texts.has(used)) continue;
    const at = offsetAt(texts.get(used), range.start);
    if (used === file && at === offset) isDeclared = true;
    else uses[used] = [...(uses[used] ?? []), at];
  }
  for (const offsets of Object.values(uses)) offsets.sort((one, other) => one - other);
  return isDeclared ? uses : null;
}

function uriOf(file) {
  return pathToFileURL(path.join(SOURCES, file)).href;
}

function offsetAt(text, { line, character }) {
  let start = 0;
  for (let left = line; left > 0; left--) start = text.indexOf('\n', start) + 1;
  return start + character;
}

function positionAt(text, offset) {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length - 1, character: offset - before.lastIndexOf('\n') - 1 };
}
