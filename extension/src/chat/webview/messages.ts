/** What the panel shows; texts are plain, the webview never interprets them. */
export interface PanelState {
  /** One sentence: what Inkling is doing. A screen reader announces it when it changes. */
  readonly headline: string;
  readonly isError: boolean;
  readonly facts: readonly PanelFact[];
  /** Whether and why not one can chat here. */
  readonly chatNote: string;
  /** Label of the one button; null where there is nothing to do. */
  readonly actionLabel: string | null;
}

export interface PanelFact {
  readonly label: string;
  readonly value: string;
}

export type MessageToWebview = { readonly kind: 'state'; readonly state: PanelState };

export type MessageFromWebview =
  /** The script runs and can receive. */
  | { readonly kind: 'ready' }
  /** The user pressed the button. */
  | { readonly kind: 'action' };
