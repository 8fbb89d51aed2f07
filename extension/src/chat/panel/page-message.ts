import { isBoolean, isRecord, isText } from '../../../../server/protocol/index.js';
import { type AttachRequest, type CodeAction, type MessageFromWebview, MOST_DROPPED } from '../webview/messages.js';

/** Longer texts are no question and no code of an answer. The input takes no more. */
export const LONGEST_TEXT = 2 ** 22;
/** For ids, languages, paths and searches. */
const LONGEST_NAME = 4096;

const CODE_ACTIONS: readonly CodeAction[] = ['copy', 'insert', 'apply', 'newFile'];
const PLACES = ['selection', 'currentFile', 'diagnostics', 'terminal'] as const;

/**
 * What the panel's page posted; null for what it never posts. The page shows what a model says, so this trusts it no
 * further than it must.
 */
export function readPageMessage(value: unknown): MessageFromWebview | null {
  if (!isRecord(value)) return null;
  const { kind } = value;
  switch (kind) {
    case 'ready':
      return isLongText(value.draft) ? { kind, draft: value.draft } : null;
    case 'action':
    case 'chooseModel':
    case 'otherAction':
    case 'stop':
    case 'cancelEdit':
    case 'delete':
      return { kind };
    case 'ask':
    case 'draft':
      return isLongText(value.text) ? { kind, text: value.text } : null;
    case 'retry':
    case 'edit':
      return isName(value.turnId) ? { kind, turnId: value.turnId } : null;
    case 'select':
    case 'detach':
      return isName(value.id) ? { kind, id: value.id } : null;
    case 'think':
      return isBoolean(value.think) ? { kind, think: value.think } : null;
    case 'find':
      return value.query === null || isName(value.query) ? { kind, query: value.query } : null;
    case 'attach': {
      const what = readAttachRequest(value.what);
      return what === null ? null : { kind, what };
    }
    case 'drop': {
      const { uris } = value;
      return Array.isArray(uris) && uris.length <= MOST_DROPPED && uris.every(isName) ? { kind, uris } : null;
    }
    case 'code': {
      const { action, turnId, code, language } = value;
      const known = CODE_ACTIONS.find((each) => each === action);
      if (known === undefined || !isName(turnId) || !isLongText(code) || !isName(language)) return null;
      return { kind, action: known, turnId, code, language };
    }
    default:
      return null;
  }
}

function readAttachRequest(value: unknown): AttachRequest | null {
  if (!isRecord(value)) return null;
  const place = PLACES.find((each) => each === value.kind);
  if (place !== undefined) return { kind: place };
  return value.kind === 'file' && isName(value.uri) ? { kind: 'file', uri: value.uri } : null;
}

function isLongText(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_TEXT;
}

function isName(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_NAME;
}
