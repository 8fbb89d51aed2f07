import { HERMES } from './chat-templates.js';
import type { ScriptedModel } from './scripted-model.js';

/** Control tokens that begin an answer to a question and an answer to a tool's result; each has a script. */
export const ANSWER_STARTS = ['<|asked|>', '<|told|>'] as const;

/** Makes a template begin each answer with one of them. */
export function withAnswerStarts(template: string): string {
  return `${template}{{- ('<|told|>' if messages[-1].role == 'tool' else '<|asked|>') if add_generation_prompt else '' -}}`;
}

/** A model that calls the tool `look`, with tags cut anywhere, and then repeats the tool's result. */
export const TOOL_CALLER = {
  template: withAnswerStarts(HERMES),
  control: ANSWER_STARTS,
  scripts: {
    '<|asked|>': ['Let me look.', '\n<tool_call>\n{"name": "look", ', '"arguments": {"at": "home"}}\n</tool', '_call>'],
    '<|told|>': ['A ', 'cat.'],
  },
} as const satisfies ScriptedModel;
