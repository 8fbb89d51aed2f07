/** What other files can see of a file, in the shortest form that says how it is used. */
export interface Declaration {
  readonly name: string;
  /** Line of the file at which it begins. */
  readonly line: number;
  /** Whole lines with `\n` line ends: a signature, or a type with its members; bodies of functions are left out. */
  readonly text: string;
}
