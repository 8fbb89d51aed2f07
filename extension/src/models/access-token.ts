import { l10n, type SecretStorage, window } from 'vscode';

const SECRET_KEY = 'inkling.repositoryToken';

/** The access token for gated models. It lives in VS Code's secret storage and nowhere else. */
export class AccessToken {
  constructor(private readonly secrets: SecretStorage) {}

  async get(): Promise<string | undefined> {
    return (await this.secrets.get(SECRET_KEY)) || undefined;
  }

  /** @returns whether there is a new one; leaving the input empty forgets the old one */
  async ask(host: string): Promise<boolean> {
    const entered = await window.showInputBox({
      title: l10n.t('Access token for {0}', host),
      prompt: l10n.t(
        'A token with the right to read. It is kept in the secret storage of VS Code and sent to {0} only.',
        host,
      ),
      password: true,
      ignoreFocusOut: true,
    });
    if (entered === undefined) return false;
    if (entered.trim() === '') {
      await this.secrets.delete(SECRET_KEY);
      return false;
    }
    await this.secrets.store(SECRET_KEY, entered.trim());
    return true;
  }
}
