import type { Connection } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  isCount,
  isRecord,
  NEXT_EDIT_NOTIFICATION,
  NEXT_EDIT_OUTCOME_NOTIFICATION,
  NEXT_EDIT_OUTCOMES,
  type NextEditAnnouncement,
  type NextEditOutcome,
} from '../../../protocol/index.js';
import type { NextEditService } from '../../next-edit/next-edit-service.js';
import type { PredictedEdit } from '../../next-edit/predicted-edit.js';
import type { Log } from '../../util/log.js';
import { notifyClient } from '../connection/notify-client.js';

/** Announces the edit that is due, and learns what became of it. */
export function handleNextEdits(connection: Connection, nextEdits: NextEditService, log: Log): void {
  nextEdits.onDidPredict((predicted) => {
    const announced: NextEditAnnouncement = { edit: predicted === null ? null : announcedEdit(predicted) };
    void notifyClient(connection, NEXT_EDIT_NOTIFICATION, announced, log);
  });
  connection.onNotification(NEXT_EDIT_OUTCOME_NOTIFICATION, (params: unknown) => {
    if (isOutcome(params)) nextEdits.noteOutcome(params.id, params.outcome);
    else log.warn(`${NEXT_EDIT_OUTCOME_NOTIFICATION} must hold an id and an outcome; ignored.`);
  });
}

function announcedEdit({ id, document, version, start, end, newText, reason, more }: PredictedEdit) {
  const { uri, languageId } = document;
  const text = document.getText();
  const lines = TextDocument.create(uri, languageId, version, text);
  const range = { start: lines.positionAt(start), end: lines.positionAt(end) };
  return { id, uri, version, range, oldText: text.slice(start, end), newText, reason, more };
}

function isOutcome(params: unknown): params is NextEditOutcome {
  if (!isRecord(params) || !isCount(params.id)) return false;
  return NEXT_EDIT_OUTCOMES.some((outcome) => outcome === params.outcome);
}
