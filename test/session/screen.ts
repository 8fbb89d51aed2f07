import type { Editor } from '../support/servers/editor.js';
import type { Moment } from './typist.js';

const isTerminal = process.stdout.isTTY;

export function write(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function heading(text: string): void {
  write();
  write(isTerminal ? `\u001b[1m${text}\u001b[0m` : text);
}

export function explainScreen(): void {
  write();
  write(
    `Each line shows one keystroke: the key, the latency, and the edited line with its ${ghostText('ghost text')}.`,
  );
  write('"-" marks a request that the next key cancelled. Tab accepts the ghost text, Ctrl+→ its next words.');
}

/** One line per keystroke: the key, the latency of the answer, and the editor's line with its ghost text. */
export function showMoment(moment: Moment, { line }: Editor): void {
  switch (moment.kind) {
    case 'typed': {
      const latency = moment.latencyMs === null ? '-' : `${Math.round(moment.latencyMs)}`;
      const key = moment.key.startsWith('\n') ? 'Enter' : moment.key === ' ' ? 'Space' : moment.key;
      write(`${key.padEnd(6)}${latency.padStart(5)} ms  ${line.before}${ghostText(moment.ghost)}${line.after}`);
      break;
    }
    case 'accepted': {
      const key = moment.whole ? 'Tab' : 'Ctrl+→';
      write(`${key.padEnd(6)}${' '.repeat(10)}${accepted(line.before)}${line.after}`);
      break;
    }
  }
}

function ghostText(ghost: string): string {
  if (ghost === '') return '';
  const lines = ghost.split('\n');
  const more = lines.length > 1 ? ` ⏎ +${lines.length - 1}` : '';
  return isTerminal ? `\u001b[2;3m${lines[0]}${more}\u001b[0m` : `⟦${lines[0]}${more}⟧`;
}

function accepted(text: string): string {
  return isTerminal ? `\u001b[32m${text}\u001b[0m` : text;
}
