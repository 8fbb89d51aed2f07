/** What the panel shows; texts are plain or, where they say so, Markdown that the page renders and sanitizes. */
export interface PanelState {
  /** What keeps one from asking, or what Inkling is doing; null where there is nothing to say. */
  readonly notice: PanelNotice | null;
  readonly canAsk: boolean;
  /** Of the loaded model; empty while there is none. */
  readonly modelName: string;
  /** What an empty conversation says. */
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
  /** One sentence. A screen reader announces it when it changes. */
  readonly text: string;
  readonly isError: boolean;
  /** Label of the one button; null where there is nothing to do. */
  readonly actionLabel: string | null;
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
  readonly kind: 'selection' | 'file' | 'diagnostics' | 'terminal';
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
  /** A line below the answer, such as that it is not complete; null for none. */
  readonly remark: string | null;
}

/** How much of the model's context the conversation takes with what is being written. */
export interface SizeView {
  readonly text: string;
  /** 0 to 1 and beyond. */
  readonly share: number;
}

/** Something that `@` offers. */
export interface AttachChoice {
  readonly label: string;
  readonly detail: string;
  readonly what: AttachRequest;
}

export type AttachRequest =
  | { readonly kind: 'selection' | 'currentFile' | 'diagnostics' | 'terminal' }
  | { readonly kind: 'file'; readonly uri: string };

export type CodeAction = 'copy' | 'insert' | 'apply' | 'newFile';

export type MessageToWebview =
  | { readonly kind: 'state'; readonly state: PanelState }
  /** One turn changed and nothing else. */
  | { readonly kind: 'turn'; readonly turn: TurnView }
  | { readonly kind: 'size'; readonly size: SizeView | null }
  /** What `@` and these letters offer. */
  | { readonly kind: 'choices'; readonly query: string; readonly choices: readonly AttachChoice[] }
  /** Puts a text into the input in place of what is there, and the cursor behind it. */
  | { readonly kind: 'fill'; readonly text: string }
  | { readonly kind: 'focus' };

export type MessageFromWebview =
  /** The script runs and can receive. */
  | { readonly kind: 'ready' }
  /** The user pressed the notice's button. */
  | { readonly kind: 'action' }
  | { readonly kind: 'ask'; readonly text: string }
  | { readonly kind: 'stop' }
  | { readonly kind: 'retry'; readonly turnId: string }
  | { readonly kind: 'edit'; readonly turnId: string }
  | { readonly kind: 'cancelEdit' }
  | { readonly kind: 'select'; readonly id: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'think'; readonly think: boolean }
  /** What is being written, for its size. */
  | { readonly kind: 'draft'; readonly text: string }
  | { readonly kind: 'find'; readonly query: string }
  | { readonly kind: 'attach'; readonly what: AttachRequest }
  | { readonly kind: 'detach'; readonly id: string }
  | {
      readonly kind: 'code';
      readonly action: CodeAction;
      readonly turnId: string;
      readonly code: string;
      readonly language: string;
    };
