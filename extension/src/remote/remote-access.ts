import { Disposable, type SecretStorage, workspace } from 'vscode';
import { type InklingSettings, t } from '../../../server/protocol/index.js';
import { describeError } from '../texts/log.js';
import { askSecret, askText } from '../texts/notify.js';
import { HTTP_SETTINGS, originOf, readHttpSettings, refuseAddress, serverVariables } from './server-variables.js';

export interface RemoteAccessOptions {
  readonly secrets: SecretStorage;
  readonly settings: () => InklingSettings;
  readonly onDidChangeSettings: (listener: () => void) => Disposable;
  readonly writeUrl: (url: string) => Promise<void>;
  /** A server gets its key when it starts; without one there is nothing to do. */
  readonly restart: () => Promise<void>;
  readonly log: (message: string) => void;
}

/** One per host, so that no other host gets it. */
function secretKey(origin: string): string {
  return `inkling.remoteKey ${origin}`;
}

/** The user's settings for a remote server: its address, and its API key in VS Code's secret storage. */
export class RemoteAccess implements Disposable {
  readonly #disposables: Disposable;
  /** The origin that the running server was started with. */
  #origin: string | null;

  readonly #options: RemoteAccessOptions;

  constructor(options: RemoteAccessOptions) {
    this.#options = options;
    this.#origin = originOf(options.settings().remoteUrl);
    this.#disposables = Disposable.from(
      // Another window may have set or deleted the key.
      options.secrets.onDidChange(({ key }) => {
        if (this.#origin !== null && key === secretKey(this.#origin)) void options.restart();
      }),
      options.onDidChangeSettings(() => void this.#followAddress()),
      // A server gets them as variables, when it starts.
      workspace.onDidChangeConfiguration((event) => {
        const hasChanged = HTTP_SETTINGS.some((name) => event.affectsConfiguration(name));
        if (this.#origin !== null && hasChanged) void options.restart();
      }),
    );
  }

  /** Environment variables of the next server process. */
  async variables(): Promise<Readonly<Record<string, string>>> {
    const origin = originOf(this.#options.settings().remoteUrl);
    this.#origin = origin;
    const key = origin === null ? null : await this.#keyFor(origin);
    const http = workspace.getConfiguration('http');
    return serverVariables(
      readHttpSettings((name) => http.get(name)),
      origin === null || key === null ? null : { origin, key },
    );
  }

  /** Null without one, and where VS Code's secret storage fails: the server then starts and says that it needs a key. */
  async #keyFor(origin: string): Promise<string | null> {
    try {
      return (await this.#options.secrets.get(secretKey(origin)))?.replaceAll('\0', '') || null;
    } catch (error) {
      this.#options.log(`The API key for ${origin} cannot be read: ${describeError(error)}`);
      return null;
    }
  }

  /** Asks for the address; sends nothing before there is one. */
  async choose(): Promise<void> {
    const entered = await askText({
      title: t('Connect to a remote server'),
      prompt: t(
        'Address of a llama-server, vLLM, Ollama or another OpenAI-compatible server. Inkling sends your code there. Leave empty to use this machine.',
      ),
      placeHolder: 'http://gpu-box:8080',
      value: this.#options.settings().remoteUrl,
      refuse: refuseAddress,
    });
    if (entered !== null) await this.#options.writeUrl(entered.trim());
  }

  async askForKey(): Promise<void> {
    const origin = originOf(this.#options.settings().remoteUrl);
    if (origin === null) {
      await this.choose();
      return;
    }
    const { host } = new URL(origin);
    const entered = await askSecret({
      title: t('API key for {0}', host),
      prompt: t(
        'VS Code stores the key securely. Inkling sends it only to {0}. Leave empty to delete the stored key.',
        host,
      ),
    });
    if (entered === null) return;
    // A changed key restarts the server.
    if (entered === '') await this.#options.secrets.delete(secretKey(origin));
    else await this.#options.secrets.store(secretKey(origin), entered);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** The server follows a changed address itself, but it lacks the key of another host. */
  async #followAddress(): Promise<void> {
    const origin = originOf(this.#options.settings().remoteUrl);
    if (origin === this.#origin) return;
    this.#origin = origin;
    const key = origin === null ? null : await this.#keyFor(origin);
    if (key !== null) await this.#options.restart();
  }
}
