/** A text that a person wants to write, and where. */
export interface Scene {
  readonly title: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly languageId: string;
  /** Typing begins at the end of the first line that contains this. */
  readonly after: string;
  /** The whole intended text; parts that a suggestion contains need not be typed. */
  readonly intention: string;
}

export const SCENES: readonly Scene[] = [
  {
    title: 'a method for a class of Inkling itself',
    file: 'server/src/util/emitter.ts',
    languageId: 'typescript',
    after: 'readonly #listeners',
    intention:
      '\n\n  get size(): number {\n    return this.#listeners.size;\n  }\n\n  clear(): void {\n    this.#listeners.clear();\n  }',
  },
  {
    title: 'a method for a Python class',
    file: 'test/fixtures/session/inventory.py',
    languageId: 'python',
    after: 'del self.items[name]',
    intention:
      '\n\n    def total(self) -> float:\n        """Return the total price."""\n        return sum(item.price for item in self.items.values())',
  },
];
