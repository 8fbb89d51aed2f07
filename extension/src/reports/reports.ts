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
import { decisionReport, nextEditReport, statisticsReport } from './decision-report.js';
import { ReportDocuments } from './report-documents.js';

/** The part of a session that reports need. */
export interface ReportSource {
  request<T>(method: string): Promise<T | null>;
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
    const decisions = await this.#source.request<Decision[]>(DECISIONS_REQUEST);
    const nextEdits = await this.#source.request<NextEditDecision[]>(NEXT_EDIT_DECISIONS_REQUEST);
    const report = decisions && decisionReport(decisions) + nextEditReport(nextEdits ?? []);
    await this.#show(t('Why no suggestion'), report);
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
