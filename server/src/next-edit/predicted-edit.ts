import type { NextEditReason } from '../../protocol/index.js';

/** An open document, as the editor keeps it up to date. */
export interface EditableDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  getText(): string;
}

/** An edit that is due. Offsets are UTF-16 units of that version. */
export interface PredictedEdit {
  readonly id: number;
  readonly document: EditableDocument;
  readonly version: number;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly reason: NextEditReason;
  readonly more: number;
}
