import { markedExcerpt, REGION_END, readMarkedRegion } from './editable-region.js';
import {
  ended,
  MOST_EDITS,
  type PromptPiece,
  type RecentEdit,
  type RewriteFormat,
  type RewritePrompt,
  type RewriteQuestion,
} from './rewrite-format.js';
import { unifiedDiff } from './unified-diff.js';

const TURN_START: PromptPiece = { special: '<|im_start|>' };
const TURN_END: PromptPiece = { special: '<|im_end|>' };
const CONTEXT_FILE: PromptPiece = { special: '<|context_file|>' };
const SNIPPET: PromptPiece = { special: '<|snippet|>' };

/** In our own words: the model's authors use a longer text. */
const SYSTEM =
  'You are Instinct, an intelligent next-edit predictor developed by Continue.dev. You predict the next edit that the ' +
  'developer will make between <|editable_region_start|> and <|editable_region_end|>. You are given context from other ' +
  'files, the most recent edits, newest first, and an excerpt with the cursor at <|user_cursor_is_here|>. Answer with ' +
  'the revised code of the region alone, without the tags. Do not undo what the developer has just done.';

const REQUEST =
  "Reference the user excerpt, user edits, and the snippets to understand the developer's intent. Update the editable " +
  'region of the user excerpt by predicting and completing the changes they would have made next. This may be a ' +
  'deletion, addition, or modification of code.';

/** Continue's model on Qwen2.5-Coder: core/nextEdit of continuedev/continue, and continuedev/instinct. */
export const instinct: RewriteFormat = {
  region: { before: 1, behind: 5 },
  around: 20,
  related: true,
  mostEdits: MOST_EDITS,
  promptFor,
};

function promptFor(question: RewriteQuestion): RewritePrompt {
  const { path, related, edits, current, above, below } = question;
  const region = current.endsWith('\n') ? current.slice(0, -1) : current;
  const history = [...edits].reverse().map(describeEdit).join('\n');
  return {
    sections: [
      [TURN_START, `system\n${SYSTEM}`, TURN_END, '\n', TURN_START, `user\n${REQUEST}\n\n### Context:\n`],
      ...related.map((snippet) => [CONTEXT_FILE, `: ${snippet.path}\n`, SNIPPET, `\n${ended(snippet.text)}`]),
      [`\n\n### User Edits:\n\n${history}`],
      [
        `\n\n### User Excerpt:\n${path}\n\n`,
        ...markedExcerpt(question, above, below),
        '```\n### Response:',
        TURN_END,
        '\n',
        TURN_START,
        'assistant\n',
      ],
    ],
    silent: region,
    old: region,
    ending: '',
    stops: [`\n${REGION_END}`],
    spelled: [],
    read: (answer) => readMarkedRegion(answer, question),
  };
}

function describeEdit({ path, line, original, updated }: RecentEdit): string {
  return `User edited file "${path}"\n\n\`\`\`diff\n${unifiedDiff(original, updated, line ?? 1)}\`\`\``;
}
