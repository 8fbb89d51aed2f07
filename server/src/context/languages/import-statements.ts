/** In UTF-16 units. A longer statement is data, or its end is missing. */
const MAXIMUM_STATEMENT_CHARACTERS = 4_096;

/** The lines of a text, without their line feeds. A generator, so that a reader can stop early. */
export function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/** Lines without comments at their ends. A comment begins with `mark`, wherever that stands. */
export function* withoutComments(lines: Iterable<string>, mark: string): Generator<string> {
  for (const line of lines) {
    const comment = line.indexOf(mark);
    yield comment < 0 ? line : line.slice(0, comment);
  }
}

/**
 * Statements that may take several lines. A line that starts a statement ends an unfinished one, so every line is read
 * once and the work grows with the text, whatever it contains.
 *
 * @param starts matches a statement's first line
 * @param isComplete whether a statement ends with its last line
 */
export function* statementsOf(
  lines: Iterable<string>,
  starts: RegExp,
  isComplete: (last: string, first: string) => boolean,
): Generator<string> {
  let open: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (starts.test(line)) {
      open = [];
      length = 0;
    } else if (open.length === 0) continue;
    open.push(line);
    length += line.length + 1;
    if (length > MAXIMUM_STATEMENT_CHARACTERS) open = [];
    else if (isComplete(line, open[0] ?? '')) {
      yield open.join('\n');
      open = [];
    }
  }
}

/** Whether a statement with a list in round brackets ends with a line. */
export function closesList(last: string, first: string): boolean {
  return last.includes(')') || !first.includes('(');
}
