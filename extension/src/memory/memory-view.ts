import { randomBytes } from 'node:crypto';
import { type Disposable, ThemeIcon, Uri, ViewColumn, type WebviewPanel, window } from 'vscode';
import {
  type InklingStatus,
  isRecord,
  MEMORY_HISTORY_MS,
  type MemorySample,
  t,
  UNWATCH_MEMORY_NOTIFICATION,
  WATCH_MEMORY_REQUEST,
} from '../../../server/protocol/index.js';
import { NOT_STARTED_STATUS } from '../client/session-status.js';
import { memoryHtml } from './memory-html.js';
import { memoryMessage } from './memory-page.js';

/** The part of a session that the view needs. */
export interface MemorySource {
  readonly serverPid: number | null;
  notify(method: string, parameters: object): void;
  request<T>(method: string): Promise<T | null>;
}

export interface MemoryViewActions {
  freeCaches(): Promise<void>;
  unload(): Promise<void>;
  load(): void;
}

/** An editor tab with the memory since the load, and what is known of the model. The server sends samples only while the tab is visible. */
export class MemoryView implements Disposable {
  #panel: WebviewPanel | null = null;
  /** Process id of the server that sends samples; null for none. */
  #watchedPid: number | null = null;
  #samples: readonly MemorySample[] = [];
  #status: InklingStatus = NOT_STARTED_STATUS;

  readonly #extensionUri: Uri;
  readonly #source: MemorySource;
  readonly #actions: MemoryViewActions;

  constructor(extensionUri: Uri, source: MemorySource, actions: MemoryViewActions) {
    this.#extensionUri = extensionUri;
    this.#source = source;
    this.#actions = actions;
  }

  open(): void {
    if (this.#panel !== null) {
      this.#panel.reveal();
      return;
    }
    const panel = window.createWebviewPanel('inkling.memory', t('Inkling: Memory'), ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(this.#extensionUri, 'dist'), Uri.joinPath(this.#extensionUri, 'media')],
    });
    this.#panel = panel;
    // Unlike an image, a theme icon has the theme's colour.
    panel.iconPath = new ThemeIcon('pulse');
    // The panel disposes of its own events, and so of these listeners.
    panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(isRecord(message) ? message.kind : null));
    panel.onDidChangeViewState(() => this.#followVisibility());
    panel.onDidDispose(() => {
      this.#panel = null;
      this.#followVisibility();
    });
    const uriOf = (...parts: string[]) =>
      panel.webview.asWebviewUri(Uri.joinPath(this.#extensionUri, ...parts)).toString();
    panel.webview.html = memoryHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: panel.webview.cspSource,
      scriptUri: uriOf('dist', 'memory-webview.js'),
      styleUri: uriOf('media', 'memory.css'),
    });
    this.#followVisibility();
  }

  /** Another server may run now and needs the request for samples. */
  show(status: InklingStatus): void {
    this.#status = status;
    this.#followVisibility();
    this.#render();
  }

  add(sample: MemorySample): void {
    if (this.#panel?.visible !== true) return;
    this.#samples = [...this.#samples.filter(({ at }) => sample.at - at <= MEMORY_HISTORY_MS), sample];
    this.#render();
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #followVisibility(): void {
    const { serverPid } = this.#source;
    if (this.#panel?.visible !== true) {
      if (this.#watchedPid === serverPid) this.#source.notify(UNWATCH_MEMORY_NOTIFICATION, {});
      this.#watchedPid = null;
    } else if (serverPid !== null && serverPid !== this.#watchedPid) {
      this.#watchedPid = serverPid;
      void this.#watch();
    }
  }

  async #watch(): Promise<void> {
    const history = await this.#source.request<readonly MemorySample[]>(WATCH_MEMORY_REQUEST);
    if (history === null) return;
    // Samples of an earlier server are older than all of this one.
    const [first] = history;
    const earlier = this.#samples.filter(({ at }) => first === undefined || at < first.at);
    this.#samples = [...earlier, ...history];
    this.#render();
  }

  #receive(kind: unknown): void {
    switch (kind) {
      case 'ready':
        this.#render();
        break;
      case 'freeCaches':
        void this.#actions.freeCaches();
        break;
      case 'unload':
        void this.#actions.unload();
        break;
      case 'load':
        this.#actions.load();
        break;
    }
  }

  #render(): void {
    if (this.#panel?.visible !== true) return;
    const isServed = this.#source.serverPid !== null;
    void this.#panel.webview.postMessage(memoryMessage(this.#samples, Date.now(), this.#status, isServed));
  }
}
