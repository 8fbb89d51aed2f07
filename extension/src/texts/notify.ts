import { type MessageOptions, ProgressLocation, window } from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { notificationText, plainText } from './plain-text.js';

// Every text that VS Code would read as links goes through this file, which makes it plain; a layout test holds that.

/** How long the status bar shows a notice. */
const NOTICE_MS = 6_000;

export type Severity = 'information' | 'warning' | 'error';

/** @returns the chosen button; null if the user closes the notification */
export async function notify(
  severity: Severity,
  message: string,
  ...buttons: readonly string[]
): Promise<string | null> {
  const labels = buttons.map(plainText);
  const answer = await SHOW[severity](notificationText(message), {}, ...labels);
  return answer === undefined ? null : (buttons[labels.indexOf(answer)] ?? null);
}

/**
 * Asks in a dialog that waits for an answer.
 *
 * @param detail stands below the message; empty for nothing
 */
export async function confirm(severity: Severity, message: string, button: string, detail = ''): Promise<boolean> {
  return (
    (await SHOW[severity](notificationText(message), { modal: true, detail: notificationText(detail) }, button)) ===
    button
  );
}

/** Shows one sentence in the status bar for a few seconds. */
export function showNotice(sentence: string): void {
  window.setStatusBarMessage(`$(info) Inkling: ${notificationText(sentence)}`, NOTICE_MS);
}

export interface ProgressReport {
  readonly message: string;
  /** Percentage points since the last report. */
  readonly increment: number;
}

/**
 * Shows a notification while something runs.
 *
 * @param run gets a signal that aborts when the user closes the notification
 */
export async function notifyProgress<T>(
  title: string,
  run: (report: (progress: ProgressReport) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = { location: ProgressLocation.Notification, title: notificationText(title), cancellable: true };
  return await window.withProgress(options, async (progress, cancellation) => {
    const abort = new AbortController();
    cancellation.onCancellationRequested(() => abort.abort());
    const report = ({ message, increment }: ProgressReport): void =>
      progress.report({ message: plainText(message), increment });
    return await run(report, abort.signal);
  });
}

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly placeHolder?: string;
  readonly value?: string;
  readonly password?: boolean;
  /** Why the text cannot be accepted; null if it can. */
  readonly refuse?: (text: string) => string | null;
}

/** @returns the entered text; null if the user cancels */
export async function askText({ prompt, refuse, ...options }: TextQuestion): Promise<string | null> {
  const validateInput = (text: string): string | undefined => {
    const refusal = refuse?.(text) ?? null;
    return refusal === null ? undefined : plainText(refusal);
  };
  const entered = await window.showInputBox({
    ...options,
    prompt: plainText(prompt),
    ignoreFocusOut: true,
    validateInput,
  });
  return entered ?? null;
}

/** Asks for a token or key that a request's header will carry; empty deletes it. */
export async function askSecret(question: Pick<TextQuestion, 'title' | 'prompt'>): Promise<string | null> {
  const refuse = (text: string): string | null =>
    /^[\x21-\x7e]*$/.test(text.trim()) ? null : t('Enter letters, digits and punctuation only, without blanks.');
  return (await askText({ ...question, password: true, refuse }))?.trim() ?? null;
}

type Show = (message: string, options: MessageOptions, ...buttons: string[]) => Thenable<string | undefined>;

const SHOW: Readonly<Record<Severity, Show>> = {
  information: window.showInformationMessage,
  warning: window.showWarningMessage,
  error: window.showErrorMessage,
};
