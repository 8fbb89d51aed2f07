/** Everything that the page draws; the page decides nothing. */
export interface MemoryPage {
  readonly headline: string;
  /** The plot in words. */
  readonly plotInWords: string;
  /** Drawn in order, the lowest part last. SVG path data in a box of `PLOT_WIDTH` times `PLOT_HEIGHT`. */
  readonly areas: readonly PlotArea[];
  /** A line across the plot; null if the budget is far above the drawn range. */
  readonly budgetY: number | null;
  /** At the plot's top and at half its height. */
  readonly topLabel: string;
  readonly middleLabel: string;
  /** At the left edge and in the middle. */
  readonly startLabel: string;
  readonly halfwayLabel: string;
  readonly rows: readonly BreakdownRow[];
  /** The model and the last suggestion. */
  readonly facts: readonly PageFact[];
  /** The action of the buttons: unload the model, load it, or nothing if all models are remote. */
  readonly offers: 'free' | 'load' | 'nothing';
}

export interface PlotArea {
  readonly part: PlotPart;
  readonly label: string;
  readonly path: string;
}

/** From bottom to top; each has its own colour in the style sheet. */
export type PlotPart = 'model' | 'context' | 'kept' | 'compute' | 'chat' | 'rest';

export interface BreakdownRow {
  readonly label: string;
  readonly value: string;
  /** Share of the memory in use, from 0 to 1; null for a row without a bar. */
  readonly share: number | null;
}

/** One line of what is known. The value may contain text from a model file or a server: plain. */
export interface PageFact {
  readonly label: string;
  readonly value: string;
}

export const PLOT_WIDTH = 720;
export const PLOT_HEIGHT = 220;

export type MessageToMemoryPage =
  | { readonly kind: 'page'; readonly page: MemoryPage }
  /** No server has sent a sample of the last hour. */
  | { readonly kind: 'nothing'; readonly headline: string };

export type MessageFromMemoryPage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'freeCaches' }
  | { readonly kind: 'unload' }
  | { readonly kind: 'load' };
