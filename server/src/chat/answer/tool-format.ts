/** How a model writes its calls of tools. */
export type ToolFormat =
  /** It makes no calls. */
  | { readonly kind: 'none' }
  | MarkedToolFormat
  | BareToolFormat
  /** A message to a function, as channels.ts reads it. */
  | { readonly kind: 'channels' };

/** Calls within the text of an answer. */
export type MarkedToolFormat =
  /** Each call between two tags, in JSON or in tags of its own. */
  | { readonly kind: 'tags'; readonly tags: readonly ToolTags[]; readonly body: 'json' | 'parameters' }
  /** Everything after a marker is calls. */
  | { readonly kind: 'marker'; readonly marker: string };

/** The answer is JSON, with or without a marker before it. */
export interface BareToolFormat {
  readonly kind: 'bare';
  readonly marker: string;
}

export interface ToolTags {
  readonly open: string;
  readonly close: string;
}

const TOOL_CALL: ToolTags = { open: '<tool_call>', close: '</tool_call>' };
/** Some models forget to put this between the tags above. */
const FUNCTION: ToolTags = { open: '<function=', close: '</function>' };

const MARKER = '[TOOL_CALLS]';
const PYTHON_TAG = '<|python_tag|>';

/** Control tokens inside a call besides its JSON. */
const INNER_MARKERS = ['[ARGS]', '[CALL_ID]'];

/** How a model calls tools, by the words in its template. */
export function toolFormat(template: string): ToolFormat {
  if (!/\btools\b/.test(template)) return { kind: 'none' };
  if (isChanneled(template)) return { kind: 'channels' };
  if (template.includes(FUNCTION.open)) return { kind: 'tags', tags: [TOOL_CALL, FUNCTION], body: 'parameters' };
  if (template.includes(TOOL_CALL.open)) return { kind: 'tags', tags: [TOOL_CALL], body: 'json' };
  if (template.includes(MARKER)) return { kind: 'marker', marker: MARKER };
  const isLlama = template.includes(PYTHON_TAG) || template.includes('ipython');
  if (isLlama && template.includes('parameters')) return { kind: 'bare', marker: PYTHON_TAG };
  return { kind: 'none' };
}

/** Whether answers consist of messages on named channels. */
export function isChanneled(template: string): boolean {
  return template.includes('<|channel|>') && template.includes('<|message|>');
}

/** Texts with a meaning in an answer, which may be tokens without text in the vocabulary. */
export function toolMarkers(format: ToolFormat): readonly string[] {
  switch (format.kind) {
    case 'none':
    case 'channels':
      return [];
    case 'tags':
      return format.tags.flatMap(({ open, close }) => [open, close]);
    case 'marker':
      return [format.marker, ...INNER_MARKERS];
    case 'bare':
      return [format.marker];
  }
}

/** The start of an answer that can only be a call. */
export function callOpening(format: ToolFormat): string {
  switch (format.kind) {
    case 'none':
      return '';
    case 'channels':
      return '<|channel|>commentary to=functions.';
    case 'tags':
      return `${format.tags[0]?.open ?? ''}\n`;
    case 'marker':
      return format.marker;
    case 'bare':
      return '{"name": "';
  }
}
