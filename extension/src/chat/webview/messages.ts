/** The state that the panel shows. Texts are plain, or Markdown where noted, which the page renders and sanitizes. */
export interface PanelState {
  /** What prevents questions, or what Inkling does; null for nothing. */
  readonly notice: PanelNotice | null;
  readonly canAsk: boolean;
  /** The name of the loaded model; empty without one. */
  readonly modelName: string;
  /** The text of an empty conversation. */
  readonly hint: string;
  readonly thinking: 'none' | 'always' | 'optional';
  readonly think: boolean;
  readonly conversations: readonly ConversationItem[];
  readonly currentId: string;
  readonly turns: readonly TurnView[];
  readonly attachments: readonly AttachmentView[];
  readonly editing: string | null;
  readonly running: boolean;
  readonly commands: readonly CommandItem[];
}

export interface PanelNotice {
  /** One sentence. Screen readers announce a change. */
  readonly text: string;
  readonly isError: boolean;
  /** Label of the button; null without one. */
  readonly actionLabel: string | null;
  /** The label of a second, less prominent action. */
  readonly otherActionLabel: string | null;
}

export interface ConversationItem {
  readonly id: string;
  readonly title: string;
}

export interface CommandItem {
  readonly name: string;
  readonly summary: string;
}

export interface AttachmentView {
  readonly id: string;
  readonly label: string;
  /** Follows the active editor; the user did not attach it. */
  readonly isAutomatic: boolean;
}

export interface TurnView {
  readonly id: string;
  readonly question: string;
  readonly attachments: readonly AttachmentView[];
  readonly state: 'running' | 'complete' | 'stopped' | 'cutOff' | 'failed';
  /** Markdown. */
  readonly answer: string;
  /** Plain text. */
  readonly thinking: string;
  readonly error: string | null;
  /** A line below the answer, for example that it is incomplete; null for none. */
  readonly remark: string | null;
}

/** How much of the model's context the conversation and the draft take. */
export interface SizeView {
  readonly text: string;
  /** 0 to 1, or more if it does not fit. */
  readonly share: number;
}

/** A choice for `@`. */
export interface AttachChoice {
  readonly label: string;
  readonly detail: string;
  readonly what: AttachRequest;
}

export type AttachRequest =
  | { readonly kind: 'selection' | 'currentFile' | 'diagnostics' | 'terminal' }
  | { readonly kind: 'file'; readonly uri: string };

/** More addresses than the extension attaches files: it says so. */
export const MOST_DROPPED = 100;

export type CodeAction = 'copy' | 'insert' | 'apply' | 'newFile';

export type MessageToWebview =
  | { readonly kind: 'state'; readonly state: PanelState }
  /** Only this turn changed. */
  | { readonly kind: 'turn'; readonly turn: TurnView }
  | { readonly kind: 'size'; readonly size: SizeView | null }
  /** The choices for `@` with these letters. */
  | { readonly kind: 'choices'; readonly query: string; readonly choices: readonly AttachChoice[] }
  /** The draft's text has changed otherwise than by typing. */
  | { readonly kind: 'fill'; readonly text: string }
  | { readonly kind: 'focus' };

export type MessageFromWebview =
  /** The script runs and can receive messages. The draft is what an earlier page has left. */
  | { readonly kind: 'ready'; readonly draft: string }
  /** The user pressed the notice's button, or its second one. */
  | { readonly kind: 'action' | 'otherAction' }
  /** The user wants another model. */
  | { readonly kind: 'chooseModel' }
  | { readonly kind: 'ask'; readonly text: string }
  | { readonly kind: 'stop' }
  | { readonly kind: 'retry'; readonly turnId: string }
  | { readonly kind: 'edit'; readonly turnId: string }
  | { readonly kind: 'cancelEdit' }
  | { readonly kind: 'select'; readonly id: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'think'; readonly think: boolean }
  /** The text as the user types it. */
  | { readonly kind: 'draft'; readonly text: string }
  /** The letters after `@`; null when the list is no longer wanted. */
  | { readonly kind: 'find'; readonly query: string | null }
  | { readonly kind: 'attach'; readonly what: AttachRequest }
  /** Files or folders were dropped on the panel. */
  | { readonly kind: 'drop'; readonly uris: readonly string[] }
  | { readonly kind: 'detach'; readonly id: string }
  | {
      readonly kind: 'code';
      readonly action: CodeAction;
      readonly turnId: string;
      readonly code: string;
      readonly language: string;
    };
