/** A place with missing code, and the text before and after it. */
export interface CodeHole {
  readonly prefix: string;
  readonly suffix: string;
}

const MOST_LINES = 12;

/**
 * The bodies of a source file's blocks of 2 to 12 lines as holes: the deeper lines after a line that ends with an
 * opening bracket or a colon. The prefix ends with the start of the body's first line.
 */
export function codeHoles(source: string): readonly CodeHole[] {
  const lines = source.split('\n');
  const holes: CodeHole[] = [];
  for (const [index, line] of lines.entries()) {
    if (!/[[({:]\s*$/.test(line)) continue;
    let end = index + 1;
    while (end < lines.length && isDeeper(lines[end]!, line)) end += 1;
    const height = end - index - 1;
    if (height < 2 || height > MOST_LINES) continue;
    holes.push({
      prefix: `${lines.slice(0, index + 1).join('\n')}\n`,
      suffix: lines.slice(end).join('\n'),
    });
  }
  return holes;
}

function isDeeper(line: string, than: string): boolean {
  return line.trim() !== '' && indentation(line) > indentation(than);
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}
