import { markedExcerpt, REGION_END, REGION_START, readMarkedRegion } from './editable-region.js';
import {
  MOST_EDITS,
  type PromptPiece,
  type RecentEdit,
  type RewriteFormat,
  type RewritePrompt,
  type RewriteQuestion,
} from './rewrite-format.js';
import { unifiedDiff } from './unified-diff.js';

const INSTRUCTION =
  '### Instruction:\nYou are a code completion assistant and your task is to analyze user edits and then rewrite an ' +
  'excerpt that the user provides, suggesting the appropriate edits within the excerpt, taking into account the ' +
  'cursor location.\n\n### User Edits:\n\n';

const START_OF_FILE: PromptPiece = { special: '<|start_of_file|>' };

/** Zed's first model: crates/zeta_prompt of zed-industries/zed, module `zeta1`. */
export const zeta1: RewriteFormat = {
  region: { before: 10, behind: 9 },
  around: 15,
  related: false,
  mostEdits: MOST_EDITS,
  promptFor,
};

function promptFor(question: RewriteQuestion): RewritePrompt {
  const { path, edits, firstLine, current, above, below } = question;
  const startsFile = firstLine - 1 === (above === '' ? 0 : above.split('\n').length - 1);
  // The answer repeats the mark; after it comes the region.
  const region = `${REGION_START}\n${current.endsWith('\n') ? current.slice(0, -1) : current}`;
  return {
    sections: [
      [INSTRUCTION],
      ...edits.map((edit, index) => [`${index === 0 ? '' : '\n\n'}${describeEdit(edit)}`]),
      [
        `\n\n### User Excerpt:\n\n\`\`\`${path}\n`,
        ...(startsFile ? [START_OF_FILE, '\n'] : []),
        ...markedExcerpt(question, above, below),
        '\n```\n\n### Response:\n',
      ],
    ],
    silent: region,
    old: region,
    ending: `\n${REGION_END}`,
    stops: [`\n${REGION_END}`],
    spelled: [REGION_START, REGION_END],
    read: (answer) => readMarkedRegion(answer, question),
  };
}

function describeEdit({ path, line, original, updated }: RecentEdit): string {
  return `User edited "${path}":\n\`\`\`diff\n${unifiedDiff(original, updated, line ?? 1)}\n\`\`\``;
}
