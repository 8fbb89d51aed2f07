// `npm start`: a real editing session with the built language server on real files, without an editor.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CompletionSummary } from '../../server/protocol/index.js';
import { anchorIn, readFixture } from '../support/code/fixtures.js';
import { Editor } from '../support/servers/editor.js';
import { repositoryRoot, ServerProcess } from '../support/servers/server-process.js';
import { summarize } from './report.js';
import { explainScreen, heading, showMoment, write } from './screen.js';
import { SCENES, type Scene } from './script.js';
import { Patience, type TypingResult, typeWithSuggestions } from './typist.js';

async function play(server: ServerProcess, scene: Scene, patience: Patience): Promise<TypingResult> {
  const text = readFixture(scene.fixture);
  const lineEnd = anchorIn(text, '\n', anchorIn(text, scene.after));
  heading(`${scene.shownAs}: ${scene.title}`);
  const editor = await Editor.open(server, resolve(repositoryRoot, scene.shownAs), scene.languageId, text, lineEnd);
  return typeWithSuggestions(editor, scene.intention, patience, showMoment);
}

/** @returns the exit code */
async function main(): Promise<number> {
  const server = new ServerProcess();
  try {
    await server.initialize(undefined, pathToFileURL(repositoryRoot).href);
    const { model } = await server.waitForState('ready');
    const readyMs = performance.now() - server.spawnedAt;
    write(`Inkling is ready. Starting the server and loading the model took ${Math.round(readyMs)} ms.`);
    write(`Model: ${model?.name} (${model?.architecture}, ${model?.quantization}). It runs on this machine.`);
    explainScreen();

    const patience = new Patience();
    const results: TypingResult[] = [];
    for (const scene of SCENES) results.push(await play(server, scene, patience));

    heading('The session in numbers');
    const status = await server.status();
    for (const [label, value] of summarize(results, completionsOf(server), status)) {
      write(`${label.padEnd(14)}${value}`);
    }
    const exitCode = await server.shutdown();
    if (exitCode !== 0) throw new Error(`The server exited with code ${exitCode}`);
    if (results.every((result) => result.keystrokesWithGhost === 0)) throw new Error('The session had no suggestion');
  } finally {
    await server.dispose();
  }
  heading('In VS Code');
  write('Open this folder and press F5. Or run `npm run package` and install the .vsix file');
  write('(Extensions view, "...", Install from VSIX). Then type in a TypeScript or Python file.');
  return 0;
}

/** Every completion that the engine finished; the statuses may repeat it. */
function completionsOf({ statuses }: ServerProcess): CompletionSummary[] {
  const distinct = new Map(
    statuses.flatMap(({ lastCompletion }) =>
      lastCompletion ? [[JSON.stringify(lastCompletion), lastCompletion]] : [],
    ),
  );
  return [...distinct.values()];
}

// `npm start | head` closes the pipe. The server ends by itself without its client.
process.stdout.on('error', () => process.exit(0));

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`The session failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
