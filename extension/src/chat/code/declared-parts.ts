/** A declaration in a text, by its lines. Words and indentation say what it is, so that this needs no grammar. */
export interface DeclaredPart {
  readonly name: string;
  /** The first line, with comments and decorators directly above the declaration. */
  readonly start: number;
  /** The line with the name. */
  readonly head: number;
  /** The line after the last one. */
  readonly end: number;
}

/** A longer line declares nothing that an answer would change. */
const LONGEST_LINE = 500;

const BY_KEYWORD =
  /(?:^|\s)(?:function\*?|class|interface|type|enum|struct|trait|impl|fn|func|def|fun|module|namespace|record|object|const|let|var|val) (?:\([^()]*\) )?([\p{L}_$][\p{L}\p{N}_$]*)/u;
const NO_DECLARATION =
  /^(?:if|else|elif|for|foreach|while|do|switch|match|case|try|catch|except|finally|with|using|lock|return|throw|await|yield|new|assert|unless|until|loop|super|print)\b/;
const COMMENT = /^(?:\/\/|\/\*|\*|#(?![[!]|include\b)|--|"""|''')/;
const DECORATOR = /^(?:@|#\[)/;
const CLOSES = /^(?:[)}\]]|end\b)/;
/** What follows a closing bracket where the declaration continues, as after its parameters. */
const GOES_ON = /(?:[{([:]|=>|\b(?:do|then))$/;

/** A variable; with `HOLDS_MORE` on its line it holds a function or a type. */
const VARIABLE = /(?:^|\s)(?:const|let|var|val) /;
const HOLDS_MORE = /=>|\b(?:function|fun|func|class|struct|enum)\b/;
const CONTAINER =
  /(?:^|\s)(?:class|interface|struct|union|enum|trait|impl|module|namespace|record|object|extension|protocol)\b/;

/** The name that a line declares; null for none. */
function declaredName(line: string): string | null {
  const text = line.trim();
  if (text.length > LONGEST_LINE || NO_DECLARATION.test(text) || COMMENT.test(text)) return null;
  return BY_KEYWORD.exec(text)?.[1] ?? nameBeforeBracket(text);
}

/** Kept, since the search for the place of code asks several times about the same lines. */
const partsOfLines = new WeakMap<readonly string[], readonly DeclaredPart[]>();

/** The declarations among these lines, of any depth, in order. The lines may not change afterwards. */
export function declaredParts(lines: readonly string[]): readonly DeclaredPart[] {
  const parts = partsOfLines.get(lines) ?? findParts(lines);
  partsOfLines.set(lines, parts);
  return parts;
}

function findParts(lines: readonly string[]): readonly DeclaredPart[] {
  const parts: DeclaredPart[] = [];
  const heads = new Set<number>();
  let open: { readonly name: string; readonly head: number; readonly indent: number }[] = [];
  let lastWritten = -1;
  const close = (isClosed: (indent: number) => boolean, end: number): void => {
    for (let top = open.at(-1); top !== undefined && isClosed(top.indent); top = open.at(-1)) {
      open.pop();
      parts.push({ name: top.name, head: top.head, start: startAbove(lines, top.head, heads), end });
    }
  };
  lines.forEach((line, at) => {
    const text = line.trim();
    if (text === '') return;
    const here = indentOf(line);
    close((indent) => indent > here, lastWritten + 1);
    if (!CLOSES.test(text) && text !== '{') close((indent) => indent === here, lastWritten + 1);
    else if (!GOES_ON.test(text)) close((indent) => indent === here, at + 1);
    lastWritten = at;
    const name = declaredName(line);
    if (name === null) return;
    heads.add(at);
    open = [...open.filter(({ indent }) => indent < here), { name, head: at, indent: here }];
  });
  close(() => true, lastWritten + 1);
  return parts.sort((left, right) => left.head - right.head);
}

/** The declarations that are inside no other one of these. */
export function outermostParts(parts: readonly DeclaredPart[]): DeclaredPart[] {
  const outermost: DeclaredPart[] = [];
  for (const part of parts) {
    if (part.head >= (outermost.at(-1)?.end ?? 0)) outermost.push(part);
  }
  return outermost;
}

/** Without the variables of functions: many functions have one of the same name, so that it says no place. */
export function withoutLocalVariables(parts: readonly DeclaredPart[], lines: readonly string[]): DeclaredPart[] {
  const around: DeclaredPart[] = [];
  return parts.filter((part) => {
    while ((around.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= part.head) around.pop();
    const parent = around.at(-1);
    around.push(part);
    if (parent === undefined || isContainer(lines[parent.head] ?? '')) return true;
    return !isVariable(lines[part.head] ?? '');
  });
}

/** The numbers of the lines that are in none of these declarations, which are outermost ones. */
export function linesOutside(parts: readonly DeclaredPart[], lines: readonly string[]): number[] {
  let next = 0;
  return [...lines.keys()].filter((at) => {
    while (at >= (parts[next]?.end ?? Number.POSITIVE_INFINITY)) next++;
    return at < (parts[next]?.head ?? Number.POSITIVE_INFINITY);
  });
}

/** Whether a line declares a variable that holds no function. */
export function isVariable(line: string): boolean {
  return VARIABLE.test(line) && !HOLDS_MORE.test(line);
}

/** Whether a line declares something with members, such as a class. */
export function isContainer(line: string): boolean {
  return CONTAINER.test(line);
}

/** Whether a line may stand above a declaration and belong to it: a comment or a decorator. */
export function isAbove(line: string): boolean {
  const text = line.trim();
  return COMMENT.test(text) || DECORATOR.test(text);
}

/** Whether a line ends a declaration by a bracket or `end`. */
export function isClosing(line: string): boolean {
  return CLOSES.test(line.trim());
}

/** In characters. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** @param heads lines of declarations, which belong to no other one, whatever stands before their names */
function startAbove(lines: readonly string[], head: number, heads: ReadonlySet<number>): number {
  const indent = indentOf(lines[head] ?? '');
  const belongs = (line: string) => isAbove(line) && indentOf(line) >= indent;
  let start = head;
  while (start > 0 && !heads.has(start - 1) && belongs(lines[start - 1] ?? '')) start--;
  return start;
}

/** The name in a line such as `total(items): number {`, which has no keyword. A line that does not go on is a call. */
function nameBeforeBracket(text: string): string | null {
  if (!/[{(,]$|=>$/.test(text) && !(text.endsWith('}') && text.includes('{'))) return null;
  let before = text.slice(0, Math.max(0, text.indexOf('(')));
  if (/[=."'`]/.test(before)) return null;
  if (before.endsWith('>')) before = before.slice(0, before.indexOf('<'));
  // C++ defines members outside of their class: `int Cart::total() {`. Without a type before it, it is a call.
  before = before.replace(/(?<=\S\s+[*&]*)(?:[\p{L}\p{N}_$]+::)+(?=[\p{L}\p{N}_$]+$)/u, '');
  let start = before.length;
  while (start > 0 && /[\p{L}\p{N}_$]/u.test(before[start - 1] ?? '')) start--;
  const name = before.slice(start);
  return /^[\p{L}_$]/u.test(name) && (start === 0 || /[\s*&#]/.test(before[start - 1] ?? '')) ? name : null;
}
