/** The values of VS Code's API that `fake-editor.ts` is made of. */

export interface Place {
  readonly line: number;
  readonly character: number;
}

export class Range {
  readonly start: Place;
  readonly end: Place;
  constructor(...places: readonly [number, number, number, number] | readonly [Place, Place]) {
    const [start, character, endLine, endCharacter] = places;
    const isPlaces = typeof start !== 'number' && typeof character !== 'number';
    if (places.some((each) => typeof each === 'number' && each < 0)) throw new Error('illegal argument');
    this.start = isPlaces ? start : { line: Number(start), character: Number(character) };
    this.end = isPlaces ? character : { line: Number(endLine), character: Number(endCharacter) };
  }
  get isEmpty(): boolean {
    return JSON.stringify(this.start) === JSON.stringify(this.end);
  }
}

export class Selection extends Range {
  get active(): Place {
    return this.end;
  }
  isEqual(other: Range): boolean {
    return JSON.stringify([this.start, this.end]) === JSON.stringify([other.start, other.end]);
  }
}

export class Uri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  constructor(scheme: string, path: string, query = '', fragment = '') {
    [this.scheme, this.path, this.query, this.fragment] = [scheme, path, query, fragment];
  }
  static from({ scheme, path, query }: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(scheme, path, query);
  }
  static parse(text: string): Uri {
    return new Uri('file', text.replace('file://', ''));
  }
  static joinPath({ scheme, path }: Uri, ...parts: readonly string[]): Uri {
    return new Uri(scheme, [path, ...parts].join('/'));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    const [query, fragment] = [this.query && `?${this.query}`, this.fragment && `#${this.fragment}`];
    return `${this.scheme}://${this.path}${query}${fragment}`;
  }
}

export class RelativePattern {
  readonly baseUri: Uri;
  readonly pattern: string;
  constructor({ uri }: { readonly uri: Uri }, pattern: string) {
    [this.baseUri, this.pattern] = [uri, pattern];
  }
}

export class MarkdownString {
  value: string;
  constructor(value = '') {
    this.value = value;
  }
  appendMarkdown(more: string): this {
    this.value += more;
    return this;
  }
}

export class TabInputTextDiff {
  readonly modified: unknown;
  constructor(modified: unknown) {
    this.modified = modified;
  }
}

export interface Registration {
  dispose(): void;
}

export class Disposable {
  readonly dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
  static from(...all: readonly Registration[]): Disposable {
    return new Disposable(() => {
      for (const each of all) each.dispose();
    });
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(event: T) => void>();
  readonly event = (listener: (event: T) => void): Registration => {
    this.#listeners.add(listener);
    return new Disposable(() => void this.#listeners.delete(listener));
  };
  fire(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

interface QuickPickRow {
  readonly label: string;
}

/** A list that the extension shows. */
export class FakeQuickPick {
  items: readonly QuickPickRow[] = [];
  selectedItems: readonly QuickPickRow[] = [];
  value = '';
  readonly #accepted = new EventEmitter<void>();
  readonly #typed = new EventEmitter<string>();
  readonly #hidden = new EventEmitter<void>();
  readonly onDidAccept = this.#accepted.event;
  readonly onDidHide = this.#hidden.event;
  readonly onDidChangeValue = this.#typed.event;
  readonly onDidTriggerItemButton = new EventEmitter<unknown>().event;
  readonly show = (): undefined => undefined;
  readonly dispose = (): undefined => undefined;
  hide(): void {
    this.#hidden.fire();
  }
  type(text: string): void {
    this.value = text;
    this.#typed.fire(text);
  }
  choose(label: string): void {
    this.selectedItems = this.items.filter((row) => row.label.includes(label));
    this.#accepted.fire();
  }
}
