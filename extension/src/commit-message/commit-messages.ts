import { commands, type Disposable, Uri } from 'vscode';
import { type ChatPiece, cutText, isRecord, t } from '../../../server/protocol/index.js';
import type { ChatServer } from '../chat/answer/chat-server.js';
import { type MayAsk, tellRefusal } from '../chat/answer/tell-refusal.js';
import type { MayShow } from '../chat/attachments/attachments.js';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import { notify, notifyProgress } from '../texts/notify.js';
import { commitMessages, LONGEST_ANSWER, LONGEST_FILE, readCommitMessage } from './commit-prompt.js';
import { type FileDiff, filesOfDiff, isForeignDiff } from './diff-files.js';
import { type GitRepository, gitRepository } from './git-repository.js';
import { hasNewFiles } from './new-files.js';

const MOST_FILES = 200;
const MOST_SUBJECTS = 8;
const MOST_TOKENS = 400;

export interface CommitMessageParts {
  readonly server: Pick<ChatServer, 'ask'>;
  readonly mayAsk: MayAsk;
  readonly mayShow: MayShow;
  readonly rules: () => string | null;
}

/** Registers the command that writes a commit message into the box of the source control view. */
export function registerCommitMessages(parts: CommitMessageParts): Disposable {
  /** By the repository's address: the last one asked for counts. */
  const running = new Map<string, AbortController>();
  const run = async (root: Uri | null): Promise<void> => {
    if (!(await parts.mayAsk())) return;
    const repository = await gitRepository(root);
    if (repository === null) return inform(t('There is no git repository.'));
    const address = repository.rootUri.toString();
    running.get(address)?.abort();
    const own = new AbortController();
    running.set(address, own);
    try {
      await write(parts, repository, own.signal);
    } finally {
      if (running.get(address) === own) running.delete(address);
    }
  };
  return commands.registerCommand(INKLING_COMMANDS.writeCommitMessage, (sourceControl: unknown) =>
    run(isRecord(sourceControl) && sourceControl.rootUri instanceof Uri ? sourceControl.rootUri : null),
  );
}

/** @param replaced by the same command for the same repository */
async function write(parts: CommitMessageParts, repository: GitRepository, replaced: AbortSignal): Promise<void> {
  const all = await changedFiles(repository);
  if (typeof all === 'string') return inform(all);
  const diffs = await shownDiffs(repository, all.slice(0, MOST_FILES), parts.mayShow);
  if (diffs.length === 0) return inform(t('The model must not see the changed files.'));
  const begun = repository.inputBox.value;
  const messages = commitMessages({
    diffs,
    hidden: all.length - diffs.length,
    subjects: await lastSubjects(repository),
    begun,
    rules: parts.rules(),
  });
  if (replaced.aborted) return;
  // A server may not know a limit of tokens.
  const enough = new AbortController();
  const outcome = await notifyProgress(t('Inkling writes a commit message'), async (_report, closed) => {
    const question = { messages, think: false, temperature: 0, maxTokens: MOST_TOKENS };
    const signal = AbortSignal.any([closed, replaced]);
    let length = 0;
    const count = (pieces: readonly ChatPiece[]): void => {
      for (const piece of pieces) if (piece.kind === 'answer') length += piece.text.length;
      if (length > LONGEST_ANSWER) enough.abort();
    };
    const answer = await parts.server.ask(question, count, AbortSignal.any([signal, enough.signal]));
    return signal.aborted ? 'cancelled' : answer;
  });
  if (outcome === 'cancelled') return;
  if (outcome === null) return inform(t('The language server did not answer. Try again.'));
  if (outcome.kind === 'refused') return tellRefusal(outcome.refusal);
  // Such as by turning Inkling off.
  if (outcome.answer.ending === 'stopped' && !enough.signal.aborted) return;
  const message = readCommitMessage(outcome.answer.text);
  if (message === null) return inform(t('The model wrote no commit message.'));
  if (repository.inputBox.value !== begun) return inform(t('You changed the commit message meanwhile. It stays.'));
  repository.inputBox.value = message;
  if (begun.trim() === '') return;
  const undo = await notify('information', `Inkling: ${t('The commit message was replaced.')}`, t('Undo'));
  if (undo !== null && repository.inputBox.value === message) repository.inputBox.value = begun;
}

/**
 * What is staged is what will be committed; with nothing staged, VS Code offers to commit all changes.
 *
 * @returns a sentence for the user if there is nothing to describe
 */
async function changedFiles(repository: GitRepository): Promise<readonly FileDiff[] | string> {
  try {
    const staged = await repository.diff(true);
    const files = filesOfDiff(staged);
    if (files.length > 0) return files;
    const changed = await repository.diff(false);
    const others = filesOfDiff(changed);
    if (others.length > 0) return others;
    if (isForeignDiff(staged) || isForeignDiff(changed)) {
      return t("Inkling cannot read the diff of git. Check git's setting diff.external.");
    }
    return hasNewFiles(repository.state)
      ? t('There are only new files. Stage those that you want to commit.')
      : t('There are no changes to describe.');
  } catch (error) {
    return t('Git cannot show the changes: {0}', error instanceof Error ? error.message : String(error));
  }
}

/** The diffs of files whose names and changes may be shown to the model. */
async function shownDiffs(
  { rootUri }: GitRepository,
  files: readonly FileDiff[],
  mayShow: MayShow,
): Promise<readonly string[]> {
  const shown = await Promise.all(
    files.map(async ({ paths, text }) => {
      // The prompt has no more of it.
      const seen = cutText(text, LONGEST_FILE);
      const admitted = await Promise.all(paths.map((path) => mayShow(Uri.joinPath(rootUri, path).toString(), seen)));
      return paths.length > 0 && admitted.every(Boolean) ? [text] : [];
    }),
  );
  return shown.flat();
}

/** A repository without a commit has none. */
async function lastSubjects(repository: GitRepository): Promise<readonly string[]> {
  try {
    return (await repository.log({ maxEntries: MOST_SUBJECTS })).map(({ message }) => message);
  } catch {
    return [];
  }
}

function inform(message: string): void {
  void notify('information', `Inkling: ${message}`);
}
