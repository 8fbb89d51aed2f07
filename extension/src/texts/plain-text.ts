import { shortened } from '../../../server/protocol/index.js';

/** VS Code cuts notifications at this length, but not dialogs. */
const LONGEST_NOTIFICATION = 1_000;

/**
 * Text that may contain names from a workspace, a model, a repository or a server, for notifications, input boxes and
 * the status bar. VS Code makes links of `[text](command:id)` and icons of `$(name)` in them; a link would run the
 * command. Characters that reorder the text or break the line would let a name pose as another message.
 */
export function plainText(text: string): string {
  return inWritingOrder(text)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll('](', '] (')
    .replaceAll('$(', '$ (');
}

/** Such text, as long as a notification can be. */
export function notificationText(text: string): string {
  return shortened(plainText(text), LONGEST_NOTIFICATION);
}

/** Text that Markdown shows as it is, on one line and within one cell of a table. */
export function markdownText(text: string): string {
  return inWritingOrder(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]()#+\-.!~>|$:@]/g, '\\$&');
}

/** Text of any content that Markdown shows as code. */
export function markdownCode(text: string, language = ''): string {
  const longestRun = (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
  const fence = '`'.repeat(Math.max(3, longestRun + 1));
  return `${fence}${language}\n${inWritingOrder(text)}\n${fence}`;
}

function inWritingOrder(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '');
}

/**
 * A link that runs a command, in Markdown.
 *
 * @param label without names from others
 */
export function commandLink(label: string, command: string): string {
  return `[${label}](command:${command})`;
}
