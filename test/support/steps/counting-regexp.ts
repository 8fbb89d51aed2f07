import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Tries to match at a place and calls `then` with the end of each match until one call succeeds. */
type Matcher = (state: State, at: number, then: (end: number) => boolean) => boolean;

interface State {
  readonly text: string;
  readonly captures: (readonly [start: number, end: number] | null)[];
  readonly step: () => void;
}

interface Compiled {
  readonly match: Matcher;
  readonly names: readonly (readonly [name: string, index: number])[];
  readonly groups: number;
}

const compiled = new Map<string, Compiled>();

/**
 * `RegExp.prototype.exec` as a plain backtracking search, as engines run it, without their shortcuts.
 *
 * @param step called for each element that the search tries at a place
 */
export function countedExec(expression: RegExp, text: string, step: () => void): RegExpExecArray | null {
  const { match, names, groups } = compile(expression);
  const { global, sticky } = expression;
  const from = global || sticky ? expression.lastIndex : 0;
  for (let start = from; start <= text.length; start++) {
    step();
    const state: State = { text, captures: Array.from({ length: groups + 1 }, () => null), step };
    let end = -1;
    const found = match(state, start, (at) => {
      end = at;
      return true;
    });
    if (found) {
      if (global || sticky) expression.lastIndex = end;
      state.captures[0] = [start, end];
      return resultOf(state, start, names);
    }
    if (sticky) break;
  }
  if (global || sticky) expression.lastIndex = 0;
  return null;
}

function resultOf({ captures, text }: State, index: number, names: Compiled['names']): RegExpExecArray {
  const texts = captures.map((range) => (range === null ? undefined : text.slice(range[0], range[1])));
  const groups =
    names.length === 0 ? undefined : Object.fromEntries(names.map(([name, at]) => [name, texts[at] as string]));
  return Object.assign(texts as unknown as RegExpExecArray, { index, input: text, groups });
}

function compile(expression: RegExp): Compiled {
  const key = String(expression);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const { source, flags } = expression;
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: flags.includes('u') });
  const numbers = new Map<AST.CapturingGroup, number>();
  const names: [string, number][] = [];
  const number = (alternatives: readonly AST.Alternative[]): void => {
    for (const { elements } of alternatives) for (const each of elements) visit(each);
  };
  const visit = (node: AST.Element): void => {
    if (node.type === 'CapturingGroup') {
      numbers.set(node, numbers.size + 1);
      if (node.name !== null) names.push([node.name, numbers.size]);
    }
    if (node.type === 'Quantifier') visit(node.element);
    else if ('alternatives' in node) number(node.alternatives);
  };
  number(pattern.alternatives);
  const compiler = new Compiler(flags, numbers);
  const made = { match: compiler.alternatives(pattern.alternatives), names, groups: numbers.size };
  compiled.set(key, made);
  return made;
}

class Compiler {
  readonly #flags: string;
  readonly #numbers: ReadonlyMap<AST.CapturingGroup, number>;

  constructor(flags: string, numbers: ReadonlyMap<AST.CapturingGroup, number>) {
    this.#flags = flags;
    this.#numbers = numbers;
  }

  alternatives(nodes: readonly AST.Alternative[]): Matcher {
    const matchers = nodes.map(({ elements }) => this.#sequence(elements));
    return (state, at, then) => matchers.some((match) => match(state, at, then));
  }

  #sequence(elements: readonly AST.Element[]): Matcher {
    return elements
      .map((element) => this.#element(element))
      .reduceRight<Matcher>(
        (rest, match) => (state, at, then) => match(state, at, (end) => rest(state, end, then)),
        (_state, at, then) => then(at),
      );
  }

  #element(node: AST.Element): Matcher {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        return this.#one(this.#lengthAt(node));
      case 'Group':
        return this.alternatives(node.alternatives);
      case 'CapturingGroup':
        return this.#capture(node);
      case 'Quantifier':
        return this.#quantifier(node);
      case 'Assertion':
        return this.#assertion(node);
      case 'Backreference':
        return this.#backreference(node);
      default:
        throw new Error(`${node.type} is not counted yet`);
    }
  }

  /** Length of the character of a set at a place; 0 where another stands. */
  #lengthAt(node: AST.Character | AST.CharacterSet | AST.CharacterClass): (text: string, at: number) => number {
    const exact = new RegExp(`^(?:${node.raw})$`, this.#flags.replace(/[gym]/g, ''));
    const known = new Map<string, boolean>();
    return (text, at) => {
      if (at >= text.length) return 0;
      const character = this.#flags.includes('u') ? String.fromCodePoint(text.codePointAt(at) ?? 0) : (text[at] ?? '');
      let holds = known.get(character);
      if (holds === undefined) {
        holds = nativeTest(exact, character);
        known.set(character, holds);
      }
      return holds ? character.length : 0;
    };
  }

  #one(lengthAt: (text: string, at: number) => number): Matcher {
    return (state, at, then) => {
      state.step();
      const length = lengthAt(state.text, at);
      return length > 0 && then(at + length);
    };
  }

  #capture(node: AST.CapturingGroup): Matcher {
    const index = this.#numbers.get(node) ?? 0;
    const inner = this.alternatives(node.alternatives);
    return (state, at, then) =>
      inner(state, at, (end) => {
        const before = state.captures[index] ?? null;
        state.captures[index] = [at, end];
        if (then(end)) return true;
        state.captures[index] = before;
        return false;
      });
  }

  #quantifier({ element, min, max, greedy }: AST.Quantifier): Matcher {
    if (element.type === 'Character' || element.type === 'CharacterSet' || element.type === 'CharacterClass') {
      return repeatOne(this.#lengthAt(element), min, max, greedy);
    }
    const inner = this.#element(element);
    const repeat = (state: State, at: number, count: number, then: (end: number) => boolean): boolean => {
      state.step();
      const again = () =>
        count < max && inner(state, at, (end) => (end > at || count < min) && repeat(state, end, count + 1, then));
      if (count < min) return again();
      return greedy ? again() || then(at) : then(at) || again();
    };
    return (state, at, then) => repeat(state, at, 0, then);
  }

  #assertion(node: AST.Assertion): Matcher {
    switch (node.kind) {
      case 'start':
        return this.#where((text, at) => at === 0 || (this.#flags.includes('m') && isLineEnd(text[at - 1])));
      case 'end':
        return this.#where((text, at) => at === text.length || (this.#flags.includes('m') && isLineEnd(text[at])));
      case 'word':
        return this.#where((text, at) => (isWord(text[at - 1]) !== isWord(text[at])) !== node.negate);
      case 'lookahead': {
        const inner = this.alternatives(node.alternatives);
        return (state, at, then) => inner(state, at, () => true) !== node.negate && then(at);
      }
      case 'lookbehind': {
        // Only for a single character, which is all that the sources use.
        const inner = this.alternatives(node.alternatives);
        return (state, at, then) => (at > 0 && inner(state, at - 1, (end) => end === at)) !== node.negate && then(at);
      }
    }
  }

  #where(holds: (text: string, at: number) => boolean): Matcher {
    return (state, at, then) => {
      state.step();
      return holds(state.text, at) && then(at);
    };
  }

  #backreference({ resolved }: AST.Backreference): Matcher {
    const group = Array.isArray(resolved) ? resolved[0] : resolved;
    const index = this.#numbers.get(group as AST.CapturingGroup) ?? 0;
    return (state, at, then) => {
      const [start, end] = state.captures[index] ?? [0, 0];
      for (let step = start; step <= end; step++) state.step();
      return state.text.startsWith(state.text.slice(start, end), at) && then(at + end - start);
    };
  }
}

/** A loop rather than recursion, so that long runs need no deep stack. */
function repeatOne(lengthAt: (text: string, at: number) => number, min: number, max: number, greedy: boolean): Matcher {
  return (state, at, then) => {
    const ends = [at];
    const extend = (): boolean => {
      state.step();
      const last = ends.at(-1) ?? at;
      const length = ends.length > max ? 0 : lengthAt(state.text, last);
      if (length > 0) ends.push(last + length);
      return length > 0;
    };
    if (greedy) {
      while (extend());
      for (let count = ends.length - 1; count >= min; count--) {
        state.step();
        if (then(ends[count] ?? at)) return true;
      }
      return false;
    }
    for (let count = 0; ; count++) {
      if (count >= min && then(ends[count] ?? at)) return true;
      if (!extend()) return false;
    }
  };
}

const { exec } = RegExp.prototype;

function nativeTest(expression: RegExp, text: string): boolean {
  return exec.call(expression, text) !== null;
}

function isLineEnd(character: string | undefined): boolean {
  return character === '\n' || character === '\r' || character === '\u2028' || character === '\u2029';
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.source.length > 0 && nativeTest(WORD, character);
}

const WORD = /^\w$/;
