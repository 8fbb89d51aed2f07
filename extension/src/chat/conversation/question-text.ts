import { type ChatMessage, shortened, t } from '../../../../server/protocol/index.js';
import { type Attachment, type Conversation, isTold, type Question, type SlashCommand } from './conversation.js';
import type { OwnPrompt } from './project-texts.js';

const INSTRUCTIONS =
  'You are a coding assistant inside the editor VS Code. Answer briefly and exactly. Put code into fenced blocks that name the language. When you change code that you were shown, give the whole of the changed part.';

const COMMANDS: Readonly<Record<SlashCommand, { summary(): string; readonly request: string }>> = {
  explain: {
    summary: () => t('Explain the code'),
    request: 'Explain this code: what it does, how it does it, and what is easy to miss.',
  },
  fix: {
    summary: () => t('Find and fix problems'),
    request: 'Find what is wrong with this code and fix it. Show the fixed code in one block, then say what was wrong.',
  },
  tests: {
    summary: () => t('Write tests'),
    request: 'Write tests for this code, ordinary and edge cases, with the test framework that the project uses.',
  },
  doc: {
    summary: () => t('Write documentation comments'),
    request:
      'Add documentation comments to this code, in the way of its language. Show the code with them in one block.',
  },
};

const COMMAND_NAMES = Object.keys(COMMANDS) as SlashCommand[];

export function isSlashCommand(value: unknown): value is SlashCommand {
  return COMMAND_NAMES.some((name) => name === value);
}

/** The choices for `/` in the input: Inkling's own, then the project's. */
export function slashCommands(
  prompts: readonly OwnPrompt[] = [],
): readonly { readonly name: string; readonly summary: string }[] {
  const ours = COMMAND_NAMES.map((name) => ({ name, summary: COMMANDS[name].summary() }));
  return [...ours, ...prompts.map(({ name, summary }) => ({ name, summary }))];
}

/**
 * Removes the slash command, or the name of a prompt of the project, from a question's start. An unknown command stays
 * text.
 */
export function parseQuestion(
  input: string,
  prompts: readonly OwnPrompt[] = [],
): Pick<Question, 'text' | 'command' | 'own'> {
  const match = /^\s*\/(\S+)/.exec(input);
  const name = match?.[1]?.normalize();
  const rest = () => input.slice(match?.[0].length).trim();
  if (isSlashCommand(name)) return { text: rest(), command: name };
  const typed = name?.toLowerCase();
  const own =
    prompts.find((prompt) => prompt.name === name) ?? prompts.find((prompt) => prompt.name.toLowerCase() === typed);
  if (own !== undefined) return { text: rest(), command: null, own: { name: own.name, text: own.text } };
  return { text: input.trim(), command: null };
}

/** Whether there is something to answer. */
export function isAsked({ text, command, own }: Pick<Question, 'text' | 'command' | 'own'>): boolean {
  return text !== '' || command !== null || own !== undefined;
}

/** The question in the form that the user types. */
export function questionInput({ text, command, own }: Question): string {
  const name = command ?? own?.name ?? null;
  return name === null ? text : `/${name} ${text}`.trimEnd();
}

/** The text for the model: the attachments, then the question. */
export function questionPrompt({ text, command, own, attachments }: Question): string {
  const begun = command === null ? (own?.text ?? '') : COMMANDS[command].request;
  const request = [begun, text].filter((each) => each !== '').join('\n');
  const known = attachments.filter((attachment) => attachment.text !== '');
  return [...known.map(attachmentPrompt), request].join('\n\n');
}

function attachmentPrompt({ kind, label, languageId, text }: Attachment): string {
  switch (kind) {
    case 'selection':
    case 'file':
      return `From \`${label}\`:\n${fenced(text, languageId)}`;
    case 'diagnostics':
      return `What the editor reports in \`${label}\`:\n${fenced(text, '')}`;
    case 'terminal':
      return `From the terminal:\n${fenced(text, '')}`;
  }
}

/** Uses a fence that is longer than any in the text. */
export function fenced(text: string, languageId: string): string {
  let longest = 2;
  for (const [, ticks = ''] of text.matchAll(/^[ \t]*(`{3,})/gm)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${languageId}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/**
 * The conversation in the server's form: every question with its answer if it has one, and the new question.
 *
 * @param rules of the project, as `rulesPrompt` writes them; null without any
 */
export function conversationMessages(
  turns: Conversation['turns'],
  question: Question,
  rules: string | null = null,
): ChatMessage[] {
  const system = rules === null ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${rules}`;
  const messages: ChatMessage[] = [{ role: 'system', text: system }];
  for (const turn of turns) {
    if (!isTold(turn)) continue;
    messages.push({ role: 'user', text: questionPrompt(turn.question) }, { role: 'assistant', text: turn.answer.text });
  }
  return [...messages, { role: 'user', text: questionPrompt(question) }];
}

const TITLE_LENGTH = 60;

export function conversationTitle({ turns }: Conversation): string {
  const [first] = turns;
  if (first === undefined) return t('New conversation');
  const { question } = first;
  const [label] = question.attachments.map((attachment) => attachment.label);
  const line = [questionInput(question).split('\n', 1)[0], question.text === '' ? label : undefined]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
  return shortened(line, TITLE_LENGTH) || t('Question');
}

/** The conversation as a document for people. */
export function exportMarkdown(conversation: Conversation, modelName: string | null): string {
  const model = modelName === null ? [] : [t('Model: {0}', modelName)];
  const turns = conversation.turns.flatMap(({ question, answer }) => [
    `## ${t('Question')}`,
    questionInput(question),
    ...question.attachments.map(
      ({ label, text, languageId }) =>
        `${t('Attached')} \`${label}\`${text === '' ? '' : `:\n\n${fenced(text, languageId)}`}`,
    ),
    `## ${t('Answer')}`,
    answer.text,
    ...(answer.error === null ? [] : [`*${answer.error}*`]),
    ...(answer.state === 'stopped' || answer.state === 'cutOff' ? [`*(${t('The answer is not complete.')})*`] : []),
  ]);
  const parts = [`# ${conversationTitle(conversation)}`, ...model, ...turns];
  return `${parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}
