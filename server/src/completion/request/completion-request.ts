import type { SelectedItem } from '../cursor/cursor-context.js';

/** An immutable copy of a document at one moment. */
export interface DocumentSnapshot {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
  /** How the prompt names the file, such as `src/main.ts`; null for a document without a name. */
  readonly path: string | null;
}

/** The editor asks by itself, the user by a command, and Inkling for what the editor will ask next. */
export type Trigger = 'automatic' | 'invoked' | 'prepared';

export interface CompletionRequest {
  readonly document: DocumentSnapshot;
  /** In UTF-16 units; line and column are the same place, counted from zero. */
  readonly offset: number;
  readonly position: { readonly line: number; readonly character: number };
  readonly selected: SelectedItem | null;
  readonly trigger: Trigger;
}
