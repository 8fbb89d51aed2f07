import { type SecretStorage, window } from 'vscode';
import { t } from '../../../server/protocol/index.js';

/** One per host, so that a mirror never gets another host's token. */
function secretKey(repositoryUrl: string): string {
  return `inkling.repositoryToken ${new URL(repositoryUrl).origin}`;
}

/** The access tokens for gated models. They are stored only in VS Code's secret storage. */
export class AccessToken {
  readonly #secrets: SecretStorage;

  constructor(secrets: SecretStorage) {
    this.#secrets = secrets;
  }

  async get(repositoryUrl: string): Promise<string | undefined> {
    return (await this.#secrets.get(secretKey(repositoryUrl))) || undefined;
  }

  /** @returns whether there is a new token; an empty input deletes the old one */
  async ask(repositoryUrl: string): Promise<boolean> {
    const { host } = new URL(repositoryUrl);
    const entered = await window.showInputBox({
      title: t('Access token for {0}', host),
      prompt: t(
        'A token with the right to read. It is kept in the secret storage of VS Code and sent to {0} only.',
        host,
      ),
      password: true,
      ignoreFocusOut: true,
    });
    if (entered === undefined) return false;
    if (entered.trim() === '') {
      await this.#secrets.delete(secretKey(repositoryUrl));
      return false;
    }
    await this.#secrets.store(secretKey(repositoryUrl), entered.trim());
    return true;
  }
}
