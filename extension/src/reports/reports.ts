import type { Disposable } from 'vscode';
import {
  type CompletionStatistics,
  DECISIONS_REQUEST,
  type Decision,
  NEXT_EDIT_DECISIONS_REQUEST,
  type NextEditDecision,
  STATISTICS_REQUEST,
  t,
} from '../../../server/protocol/index.js';
import { decisionReport, nextEditReport, obstacleReport, statisticsReport } from './decision-report.js';
import { ReportDocuments } from './report-documents.js';

export interface ReportSource {
  /** Null if no server runs, or if it does not answer. */
  request<T>(method: string): Promise<T | null>;
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
    const past = decisions === null ? '' : decisionReport(decisions) + nextEditReport(nextEdits ?? []);
    await this.#show(t('Why no suggestion'), obstacle + past || null);
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
