/** An edit of the recent past, as a person would describe it. */
export interface RecentEdit {
  /** As the user reads it: `src/a.ts`. */
  readonly path: string;
  /** One-based line of the first line of both texts; null where nobody knows it. */
  readonly line: number | null;
  readonly original: string;
  readonly updated: string;
}

/** A piece of another file. */
export interface RelatedSnippet {
  readonly path: string;
  /** Whole lines with `\n` line ends. */
  readonly text: string;
}

/** Some lines of a file that may need a change. All texts have `\n` line ends. */
export interface RewriteQuestion {
  readonly path: string;
  /** Definitions of names that the file uses, as many as there is room for; empty where the format has no place. */
  readonly related: readonly RelatedSnippet[];
  /** Oldest first. */
  readonly edits: readonly RecentEdit[];
  /** One-based. */
  readonly firstLine: number;
  /** The lines before the recent edits. */
  readonly original: string;
  /** The lines as they are, with the line feed of the last one where it has one. */
  readonly current: string;
  /** Offset in `current`; null where the cursor is elsewhere. */
  readonly cursor: number | null;
  /** Lines of the file before and after the region, as many as there is room for. */
  readonly above: string;
  readonly below: string;
}

/**
 * Text, which never becomes a special token, or the spelling of one, which becomes that token where the model's
 * vocabulary has it and stays text where it has not.
 */
export type PromptPiece = string | { readonly special: string };

export interface RewritePrompt {
  /** What changes least comes first. The engine keeps its state at the end of each section. */
  readonly sections: readonly (readonly PromptPiece[])[];
  /** The answer that changes nothing. */
  readonly silent: string;
  /** The region as answers write it: an answer that departed may meet it again. */
  readonly old: string;
  /** What follows an unchanged region in an answer, besides the model's own end. */
  readonly ending: string;
  /** Each ends the answer. */
  readonly stops: readonly string[];
  /** Spellings of special tokens that answers contain. */
  readonly spelled: readonly string[];
  /** @param answer without the stop. Any text; work is linear in its length. */
  read(answer: string): RewriteAnswer;
}

export type RewriteAnswer =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rewritten'; readonly region: string }
  | { readonly kind: 'damaged'; readonly why: 'noMarkers' | 'wrongMarkers' | 'tooLong' };

/** How a family of models is asked for the next edit. */
export interface RewriteFormat {
  /** Lines of a region before and after the line of its place, as the models were trained. */
  readonly region: { readonly before: number; readonly behind: number };
  /** Lines of the file that the prompt shows on each side of the region, if there is room. */
  readonly around: number;
  /** Whether prompts have a place for snippets of other files. */
  readonly related: boolean;
  /** How many edits a prompt shows at most. */
  readonly mostEdits: number;
  promptFor(question: RewriteQuestion): RewritePrompt;
}

/** As many edits as most models were trained with. */
export const MOST_EDITS = 4;
/** A longer answer than this is no rewrite of about twenty lines. */
const LONGEST_REGION = 20_000;

/** The answer that consists of the region alone. */
export function regionAnswer(region: string, { current }: RewriteQuestion): RewriteAnswer {
  if (region.length > LONGEST_REGION) return { kind: 'damaged', why: 'tooLong' };
  // Models often leave out the last line feed, or add blank lines.
  const ended = withLineEndOf(current, region);
  return ended === current ? { kind: 'unchanged' } : { kind: 'rewritten', region: ended };
}

/** The text with as many line feeds at its end as another one has. */
function withLineEndOf(model: string, text: string): string {
  return text.slice(0, endOfLastLine(text)) + model.slice(endOfLastLine(model));
}

/** Not by a pattern: `/\n*$/` takes quadratic time on runs of line feeds. */
function endOfLastLine(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return end;
}

/** The text with a line feed at its end. */
export function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** The text with a mark at an offset. */
export function withMark(text: string, offset: number | null, mark: PromptPiece): readonly PromptPiece[] {
  return offset === null ? [text] : [text.slice(0, offset), mark, text.slice(offset)];
}
