/**
 * A declaration that other files can see, in the shortest form that shows its use. One that declares several names is there
 * for each of them, with the same line.
 */
export interface Declaration {
  readonly name: string;
  /** The first line in the file. */
  readonly line: number;
  /** Whole lines with `\n` line ends: a signature without its body, or a type with its members. */
  readonly text: string;
}
