import type { SecretStorage } from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { describeError } from '../texts/log.js';
import { askSecret } from '../texts/notify.js';

/** One per host, so that a mirror never gets another host's token. */
function secretKey(repositoryUrl: string): string {
  return `inkling.repositoryToken ${new URL(repositoryUrl).origin}`;
}

/** The access tokens for gated models. They are stored only in VS Code's secret storage. */
export class AccessToken {
  readonly #secrets: SecretStorage;
  readonly #log: (message: string) => void;

  constructor(secrets: SecretStorage, log: (message: string) => void) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Null without one, and where VS Code's secret storage fails: most models need none. */
  async get(repositoryUrl: string): Promise<string | null> {
    try {
      return (await this.#secrets.get(secretKey(repositoryUrl))) || null;
    } catch (error) {
      this.#log(`The access token for ${new URL(repositoryUrl).host} cannot be read: ${describeError(error)}`);
      return null;
    }
  }

  /** @returns whether another token is used from now on, or none any more: an empty input deletes the old one */
  async ask(repositoryUrl: string): Promise<boolean> {
    const { host } = new URL(repositoryUrl);
    const entered = await askSecret({
      title: t('Access token for {0}', host),
      prompt: t(
        'A read-only access token. VS Code stores it securely. Inkling sends it only to {0}. Leave empty to delete the stored token.',
        host,
      ),
    });
    if (entered === null) return false;
    if (entered === '') {
      const hadToken = (await this.get(repositoryUrl)) !== null;
      await this.#secrets.delete(secretKey(repositoryUrl));
      return hadToken;
    }
    await this.#secrets.store(secretKey(repositoryUrl), entered);
    return true;
  }
}
