/** What the page shows, ready to be drawn: it decides nothing. */
export interface MemoryPage {
  readonly headline: string;
  /** What the plot shows, in words. */
  readonly plotInWords: string;
  /** Behind each other, the lowest part last. SVG path data in a box of `PLOT_WIDTH` times `PLOT_HEIGHT`. */
  readonly areas: readonly PlotArea[];
  /** A line across the plot; null where the budget is far above what is drawn. */
  readonly budgetY: number | null;
  /** At the plot's top and its half. */
  readonly topLabel: string;
  readonly middleLabel: string;
  /** At its left edge and halfway to now. */
  readonly startLabel: string;
  readonly halfwayLabel: string;
  readonly rows: readonly BreakdownRow[];
  /** What the buttons do: give back what a model holds here, load it again, or nothing where all of it is elsewhere. */
  readonly offers: 'giveBack' | 'load' | 'nothing';
}

export interface PlotArea {
  readonly part: PlotPart;
  readonly label: string;
  readonly path: string;
}

/** From the bottom up; each has a colour of its own in the style sheet. */
export type PlotPart = 'model' | 'context' | 'kept' | 'compute' | 'chat' | 'rest';

export interface BreakdownRow {
  readonly label: string;
  readonly value: string;
  /** Of the memory in use, from 0 to 1; null for a row without a bar. */
  readonly share: number | null;
}

export const PLOT_WIDTH = 720;
export const PLOT_HEIGHT = 220;

export interface MessageToMemoryPage {
  readonly kind: 'page';
  readonly page: MemoryPage;
}

export type MessageFromMemoryPage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'freeCaches' }
  | { readonly kind: 'unload' }
  | { readonly kind: 'load' };
