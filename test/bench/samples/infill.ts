/** One answer of llama-server's `/infill`, as an editor gets it. */
export interface InfillAnswer {
  /** From the request to the first text, or to the end without text. */
  readonly firstTextMs: number;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  readonly text: string;
}

/** The request of llama.vscode: this many lines around the cursor, the cursor's line apart, and its limits. */
const PREFIX_LINES = 256;
const SUFFIX_LINES = 64;
const LIMITS = {
  n_predict: 128,
  top_k: 40,
  top_p: 0.99,
  samplers: ['top_k', 'top_p', 'infill'],
  t_max_prompt_ms: 500,
  t_max_predict_ms: 2500,
};

/** Sends llama.vscode's request, but streams the answer to time its first text. */
export async function infill(address: string, text: string, offset: number): Promise<InfillAnswer> {
  const before = text.slice(0, offset).split('\n');
  const line = before.pop() ?? '';
  const after = text.slice(offset).split('\n');
  const request = {
    input_prefix: before
      .slice(-PREFIX_LINES)
      .map((each) => `${each}\n`)
      .join(''),
    input_suffix: `${after.slice(0, SUFFIX_LINES).join('\n')}\n`,
    input_extra: [],
    prompt: line,
    cache_prompt: true,
    stream: true,
    ...LIMITS,
  };
  const startedAt = performance.now();
  const response = await fetch(`${address}/infill`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  if (!response.ok || response.body === null) {
    throw new Error(`llama-server answered ${response.status}: ${await response.text()}`);
  }
  let firstTextMs: number | null = null;
  let answer = '';
  let timings = { prompt_n: 0, predicted_n: 0 };
  let received = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    received += chunk;
    const lines = received.split('\n');
    received = lines.pop() ?? '';
    for (const event of lines.filter((each) => each.startsWith('data: {'))) {
      const data = JSON.parse(event.slice('data: '.length)) as { content?: string; timings?: typeof timings };
      answer += data.content ?? '';
      if (answer !== '') firstTextMs ??= performance.now() - startedAt;
      timings = data.timings ?? timings;
    }
  }
  return {
    firstTextMs: firstTextMs ?? performance.now() - startedAt,
    promptTokens: timings.prompt_n,
    generatedTokens: timings.predicted_n,
    text: answer,
  };
}
