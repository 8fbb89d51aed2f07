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
  const split = format === 'events' ? eventSplitter() : lineSplitter();
  for await (const chunk of chunks) {
    for (const text of split(decoder.decode(chunk, { stream: true }))) {
      if (text === DONE) return;
      yield parseJson(text);
    }
  }
  // A rest without a line end is a whole value, or the stream was cut.
  for (const text of split(`${decoder.decode()}\n\n`)) {
    if (text !== DONE) yield parseJson(text);
  }
}

type Splitter = (text: string) => readonly string[];

function eventSplitter(): Splitter {
  const found: string[] = [];
  const failures: Error[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST_VALUE,
    onEvent: ({ data }) => void found.push(data),
    onError: (error) => {
      // Unknown fields are ignored; an endless one is an error.
      if (error.type === 'max-buffer-size-exceeded') failures.push(error);
    },
  });
  return (text) => {
    parser.feed(text);
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
