import { commands, type Disposable, Uri } from 'vscode';
import { isRecord, t } from '../../../server/protocol/index.js';
import type { ChatServer } from '../chat/answer/chat-server.js';
import { type MayAsk, tellRefusal } from '../chat/answer/tell-refusal.js';
import type { MayShow } from '../chat/attachments/attachments.js';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import { notify, notifyProgress } from '../texts/notify.js';
import { commitMessages, readCommitMessage } from './commit-prompt.js';
import { filesOfDiff } from './diff-files.js';
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
  return commands.registerCommand(INKLING_COMMANDS.writeCommitMessage, (sourceControl: unknown) =>
    write(parts, isRecord(sourceControl) && sourceControl.rootUri instanceof Uri ? sourceControl.rootUri : null),
  );
}

async function write(parts: CommitMessageParts, root: Uri | null): Promise<void> {
  if (!(await parts.mayAsk())) return;
  const repository = await gitRepository(root);
  if (repository === null) return inform(t('There is no git repository.'));
  // What is staged is what will be committed; with nothing staged, VS Code offers to commit all changes.
  const diff = (await repository.diff(true)) || (await repository.diff(false));
  if (diff === '' && hasNewFiles(repository.state)) {
    return inform(t('There are only new files. Stage those that you want to commit.'));
  }
  const all = filesOfDiff(diff);
  if (all.length === 0) return inform(t('There are no changes to describe.'));
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
  const outcome = await notifyProgress(t('Inkling writes a commit message'), async (_report, signal) => {
    const question = { messages, think: false, temperature: 0, maxTokens: MOST_TOKENS };
    const answer = await parts.server.ask(question, () => undefined, signal);
    return signal.aborted ? 'cancelled' : answer;
  });
  if (outcome === 'cancelled') return;
  if (outcome === null) return inform(t('The language server did not answer. The status bar shows the reason.'));
  if (outcome.kind === 'refused') return tellRefusal(outcome.refusal);
  const message = readCommitMessage(outcome.answer.text);
  if (message === null) return inform(t('The model wrote no commit message.'));
  if (repository.inputBox.value !== begun) return inform(t('You changed the commit message meanwhile. It stays.'));
  repository.inputBox.value = message;
  if (begun.trim() === '') return;
  const undo = await notify('information', `Inkling: ${t('The commit message was replaced.')}`, t('Undo'));
  if (undo !== null && repository.inputBox.value === message) repository.inputBox.value = begun;
}

/** The diffs of files whose names and changes may be shown to the model. */
async function shownDiffs(
  { rootUri }: GitRepository,
  files: ReturnType<typeof filesOfDiff>,
  mayShow: MayShow,
): Promise<readonly string[]> {
  const shown = await Promise.all(
    files.map(async ({ paths, text }) => {
      const admitted = await Promise.all(paths.map((path) => mayShow(Uri.joinPath(rootUri, path).toString(), text)));
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
