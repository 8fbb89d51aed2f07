import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { RemoteEngine } from '../../../../../server/src/engine/remote/remote-engine.js';
import { RemoteHost, SPECIAL_TOKENS } from '../../../../support/hosts/remote-host.js';
import { SILENT } from '../../scripted-engine.js';

const REQUEST = { prompt: ['const a = '], maxTokens: 8, stop: ['\n'], stopTokens: [5] };
const FILE_SEPARATOR = 77;
const never = new AbortController().signal;
const ignore = (): void => undefined;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function connect(address: string): Promise<RemoteEngine> {
  const engine = new RemoteEngine({ origin: '', key: '' }, {}, SILENT);
  open.push(() => engine.close());
  await engine.load({ path: address, remote: { url: address, kind: 'auto', model: '' } }, ignore, never);
  return engine;
}

/** A llama-server whose model goes on with another file after its answer. */
async function startLlamaServer(): Promise<string> {
  const values = [
    { content: 'a', tokens: [97] },
    { content: '', tokens: [FILE_SEPARATOR] },
    { content: 'b', tokens: [98] },
    { content: '', tokens: [], stop: true, stop_type: 'limit' },
  ];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      if (request.url === '/completion') {
        response.setHeader('content-type', 'text/event-stream');
        response.end(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(''));
      } else response.end(JSON.stringify(wholeAnswer(request.url ?? '', text)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function wholeAnswer(path: string, question: string): unknown {
  if (path === '/props') return { default_generation_settings: { n_ctx: 4096 } };
  if (path === '/v1/models') return { data: [{ id: 'codegemma' }] };
  const { content = '', with_pieces = false } = JSON.parse(question) as { content?: string; with_pieces?: boolean };
  if (with_pieces) return { tokens: [] };
  return { tokens: content === '<|file_separator|>' ? [FILE_SEPARATOR] : [1, 2] };
}

it('of llama-server: a token that begins another file ends the answer, where that is asked for', async () => {
  const engine = await connect(await startLlamaServer());
  const ended = await engine.generate({ ...REQUEST, endsWithFile: true }, ignore, never);
  expect(ended).toMatchObject({ text: 'a', stopReason: 'endOfText' });
  const whole = await engine.generate(REQUEST, ignore, never);
  expect(whole).toMatchObject({ text: 'ab', stopReason: 'maxTokens' });
});

it.each([
  ['vllm', '/v1/completions'],
  ['openai', '/v1/completions'],
  ['ollama', '/api/generate'],
] as const)('of %s: the server is told what begins another file, where that is asked for', async (kind, path) => {
  const host = await RemoteHost.start(kind);
  open.push(() => host.stop());
  const engine = await connect(host.address);
  await engine.generate({ ...REQUEST, endsWithFile: true }, ignore, never);
  await engine.generate(REQUEST, ignore, never);
  const stops = host.bodies(path).map((body) => ({ ...body, ...(body.options as object | undefined) }));
  const texts = ['\n', '<|file_sep|>', '<|file_separator|>', '<file_sep>'];
  const markers = [SPECIAL_TOKENS['<|file_sep|>'], SPECIAL_TOKENS['<|repo_name|>']];
  expect(stops.slice(-2)).toMatchObject(
    kind === 'vllm'
      ? [{ stop: ['\n'], stop_token_ids: [5, ...markers] }, { stop_token_ids: [5] }]
      : [{ stop: texts }, { stop: ['\n'] }],
  );
});
