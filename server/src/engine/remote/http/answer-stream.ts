import { createParser } from 'eventsource-parser';
import { parseJson } from '../../../util/json.js';

/** How a server separates the JSON values that it streams: server-sent events, or lines. */
export type StreamFormat = 'events' | 'lines';

/** The last event of OpenAI's format. */
const DONE = '[DONE]';

/** A longer value is refused. */
const LONGEST_VALUE = 8 * 2 ** 20;

/**
 * The JSON values of a stream, one by one. This does not check that the stream is complete: the reader of the values
 * knows which one is the last.
 *
 * @throws SyntaxError as `parseJson` does, and for a value that has no end
 */
export async function* jsonValues(
  chunks: AsyncIterable<Uint8Array>,
  format: StreamFormat,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let split: Splitter | null = null;
  for await (const chunk of chunks) {
    const decoded = decoder.decode(chunk, { stream: true });
    split ??= splitterFor(format, decoded);
    for (const text of split?.(decoded, false) ?? []) {
      if (text === DONE) return;
      yield parseJson(text);
    }
  }
  // A rest without a line end is a whole value, or the stream was cut.
  for (const text of split?.(`${decoder.decode()}\n\n`, true) ?? []) {
    if (text !== DONE) yield parseJson(text);
  }
}

/** The values in a part of a stream, as texts. */
type Splitter = (text: string, isEnd: boolean) => readonly string[];

/** Null while the answer has not begun. No stream of events begins with a bracket: then it is one value, or a web page. */
function splitterFor(format: StreamFormat, start: string): Splitter | null {
  const begun = start.trimStart();
  if (begun === '') return null;
  if (format === 'lines') return lineSplitter();
  return /^[{<]/.test(begun) ? unsplit() : eventSplitter();
}

/** A failure in place of a stream, or the answer of a server that does not stream. */
function unsplit(): Splitter {
  const parts: string[] = [];
  let length = 0;
  return (text, isEnd) => {
    parts.push(text);
    length += text.length;
    if (length > LONGEST_VALUE) throw new SyntaxError('it has no end');
    return isEnd ? [parts.join('')] : [];
  };
}

function eventSplitter(): Splitter {
  const found: string[] = [];
  const failures: Error[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST_VALUE,
    onEvent: ({ data }) => void found.push(data),
    onError: (error) => {
      // Unknown fields are ignored; an endless one is an error.
      if (error.type === 'max-buffer-size-exceeded') failures.push(error);
      // Earlier versions of llama-server report their failures in a field of its own.
      if (error.field === 'error') found.push(`{"error":${error.value}}`);
    },
  });
  let endsWithReturn = false;
  return (text) => {
    // The parser looks for the next return from each line on, over and over. It gets none.
    const rest = endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endsWithReturn = text.endsWith('\r');
    parser.feed(rest.replace(/\r\n?/g, '\n'));
    if (failures.length > 0) throw new SyntaxError('an event has no end');
    return found.splice(0).filter((data) => data.trim() !== '');
  };
}

function lineSplitter(): Splitter {
  // The parts of the last line. They are joined once: a line may come in a million parts.
  let parts: string[] = [];
  let length = 0;
  return (text) => {
    const end = text.lastIndexOf('\n');
    const lines = end === -1 ? [] : (parts.join('') + text.slice(0, end)).split('\n');
    const rest = text.slice(end + 1);
    parts = end === -1 ? parts : [];
    parts.push(rest);
    length = (end === -1 ? length : 0) + rest.length;
    if (length > LONGEST_VALUE) throw new SyntaxError('a line has no end');
    return lines.filter((line) => line.trim() !== '');
  };
}
