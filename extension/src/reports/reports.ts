import type { Disposable } from 'vscode';
import {
  CONTEXT_REQUEST,
  type CompletionStatistics,
  type ContextParams,
  DECISIONS_REQUEST,
  type Decision,
  NEXT_EDIT_DECISIONS_REQUEST,
  type NextEditDecision,
  type ShownSnippet,
  STATISTICS_REQUEST,
  t,
} from '../../../server/protocol/index.js';
import {
  contextReport,
  decisionReport,
  lastRequest,
  nextEditReport,
  obstacleReport,
  statisticsReport,
} from './decision-report.js';
import { ReportDocuments } from './report-documents.js';

export interface ReportSource {
  /** Null if no server runs, or if it does not answer. */
  request<T>(method: string, parameters?: object): Promise<T | null>;
  /** Why no suggestion can come by itself at the moment, in a sentence; null where one can. */
  obstacle(): string | null;
}

/** The commands that explain what Inkling did. */
export class Reports {
  readonly #documents = new ReportDocuments();
  readonly #source: ReportSource;

  constructor(source: ReportSource) {
    this.#source = source;
  }

  register(): Disposable {
    return this.#documents.register();
  }

  async explainDecisions(): Promise<void> {
    // Before the first wait: it is about the editor that the user looks at.
    const obstacle = obstacleReport(this.#source.obstacle());
    const decisions = await this.#source.request<Decision[]>(DECISIONS_REQUEST);
    const nextEdits = await this.#source.request<NextEditDecision[]>(NEXT_EDIT_DECISIONS_REQUEST);
    const past =
      decisions === null
        ? ''
        : decisionReport(decisions) + (await this.#shownFiles(decisions)) + nextEditReport(nextEdits ?? []);
    await this.#show(t('Why no suggestion'), obstacle + past || null);
  }

  async #shownFiles(decisions: readonly Decision[]): Promise<string> {
    const last = lastRequest(decisions);
    if (last === null) return '';
    const parameters: ContextParams = { uri: last.uri };
    return contextReport((await this.#source.request<ShownSnippet[]>(CONTEXT_REQUEST, parameters)) ?? []);
  }

  async describeStatistics(): Promise<void> {
    const statistics = await this.#source.request<CompletionStatistics>(STATISTICS_REQUEST);
    await this.#show(t('Statistics'), statistics && statisticsReport(statistics));
  }

  async #show(title: string, report: string | null): Promise<void> {
    const noServer = t('The language server is not running. The status bar shows the reason.');
    await this.#documents.show(title, report ?? `# Inkling\n\n${noServer}\n`);
  }
}
