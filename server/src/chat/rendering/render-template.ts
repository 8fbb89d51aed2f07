import { Template } from '@huggingface/jinja';

/** What goes to the process that renders. */
export interface RenderJob {
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What comes back. */
export type Rendered =
  | { readonly kind: 'text'; readonly text: string }
  /** `syntax`: the template is no Jinja. `render`: it refuses these variables. `size`: its text is too long. */
  | { readonly kind: 'syntax' | 'render' | 'size'; readonly message: string };

/** Characters. A template's own text, tools included; messages are only placeholders. */
const MOST_OUTPUT = 4 * 2 ** 20;

/** The last template is kept compiled, because it is rendered again and again. */
let compiled: { readonly source: string; readonly template: Template } | null = null;

/** Renders a template. A hostile one may take any time and memory, so the server calls this in another process only. */
export function renderTemplate({ source, variables }: RenderJob): Rendered {
  try {
    if (compiled?.source !== source) compiled = { source, template: new Template(source) };
  } catch (error) {
    return { kind: 'syntax', message: describe(error) };
  }
  try {
    const text = compiled.template.render({ ...variables });
    return text.length <= MOST_OUTPUT ? { kind: 'text', text } : { kind: 'size', message: `${text.length}` };
  } catch (error) {
    return { kind: 'render', message: describe(error) };
  }
}

/** Messages of jinja may contain the template. The cut may leave the half of a pair. */
function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500).replace(/\p{Cs}$/u, '');
}
