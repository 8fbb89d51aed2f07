import type { RelatedSnippet } from './formats/rewrite-format.js';

/** What other parts of the server know of files. */
export interface FileFacts {
  /** A document's name in a prompt. */
  nameOf(uri: string): string;
  /** Whether Inkling may look at a document that the user is not in, and at this text of it. */
  admits(uri: string, text: string): Promise<boolean>;
  /** Whether prompts for other documents may show a text of this one. */
  mayShow(uri: string, text: string): Promise<boolean>;
  /** Definitions in other files that prompts for a document show, the most useful ones first. */
  definitionsFor(uri: string): readonly RelatedSnippet[];
}
