import { type ChatMessage, t } from '../../../server/protocol/index.js';
import type { Attachment, Conversation, Question, SlashCommand } from './conversation.js';

const INSTRUCTIONS =
  'You are a coding assistant inside the editor VS Code. Answer briefly and exactly. Put code into fenced blocks that name the language. When you change code that you were shown, give the whole of the changed part.';

const COMMANDS: Readonly<Record<SlashCommand, { summary(): string; readonly request: string }>> = {
  explain: {
    summary: () => t('Explain the code'),
    request: 'Explain this code: what it does, how it does it, and what is easy to miss.',
  },
  fix: {
    summary: () => t('Find and fix what is wrong'),
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

/** The choices for `/` in the input. */
export function slashCommands(): readonly { readonly name: SlashCommand; readonly summary: string }[] {
  return COMMAND_NAMES.map((name) => ({ name, summary: COMMANDS[name].summary() }));
}

/** Removes the slash command from a question's start; an unknown command stays text. */
export function parseQuestion(input: string): Pick<Question, 'text' | 'command'> {
  const match = /^\s*\/([a-z]+)(?=\s|$)/.exec(input);
  const name = match?.[1];
  const command = isSlashCommand(name) ? name : null;
  return command === null ? { text: input.trim(), command } : { text: input.slice(match?.[0].length).trim(), command };
}

/** The question in the form that the user types. */
export function questionInput({ text, command }: Question): string {
  return command === null ? text : `/${command} ${text}`.trimEnd();
}

/** The text for the model: the attachments, then the question. */
export function questionPrompt({ text, command, attachments }: Question): string {
  const request = command === null ? text : [COMMANDS[command].request, text].filter((each) => each !== '').join('\n');
  return [...attachments.map(attachmentPrompt), request].join('\n\n');
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
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map(([, ticks = '']) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${languageId}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** The conversation in the server's form: every question with its answer if it has one, and the new question. */
export function conversationMessages(turns: Conversation['turns'], question: Question): ChatMessage[] {
  const messages: ChatMessage[] = [{ role: 'system', text: INSTRUCTIONS }];
  for (const turn of turns) {
    if (turn.answer.text === '') continue;
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
  const line = [questionInput(question).split('\n')[0], question.text === '' ? label : undefined]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line || t('Question');
}

/** The conversation as a document for people. */
export function exportMarkdown(conversation: Conversation, modelName: string | null): string {
  const model = modelName === null ? [] : [t('Model: {0}', modelName)];
  const turns = conversation.turns.flatMap(({ question, answer }) => [
    `## ${t('Question')}`,
    questionInput(question),
    ...question.attachments.map(
      ({ label, text, languageId }) => `${t('Attached')} \`${label}\`:\n\n${fenced(text, languageId)}`,
    ),
    `## ${t('Answer')}`,
    answer.error === null ? answer.text : `*${answer.error}*`,
    ...(answer.state === 'stopped' || answer.state === 'cutOff' ? [`*(${t('The answer is not complete.')})*`] : []),
  ]);
  const parts = [`# ${conversationTitle(conversation)}`, ...model, ...turns];
  return `${parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}
