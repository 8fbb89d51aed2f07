import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { ENGINE_ERROR_CODES, type EngineErrorCode, isRecord, isText, t } from '../../../../protocol/index.js';
import { shownText } from '../../../util/json.js';
import { EngineError, toEngineError } from '../../port/engine-error.js';

/** An error of the engine as it goes to a guest: its code is in `data`. */
export function toWireError(error: EngineError) {
  return { code: ErrorCodes.InternalError, message: error.message, data: { code: error.code } };
}

/** The error that a handler of vscode-jsonrpc throws. */
export function toResponseError(thrown: unknown): ResponseError<{ readonly code: EngineErrorCode }> {
  const { code, message, data } = toWireError(toEngineError(thrown));
  return new ResponseError(code, message, data);
}

/** Whatever a request to the owner failed with. Without a code of the engine's, the connection is the reason. */
export function fromWire(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown;
  if (thrown instanceof ResponseError) {
    const code = isRecord(thrown.data) ? thrown.data.code : null;
    if (isEngineErrorCode(code)) return new EngineError(code, shownMessage(thrown.message));
    // vscode-jsonrpc keeps the message alone of what `FrameWriter` throws: only a text that is too long.
    if (thrown.code === ErrorCodes.MessageWriteError) return new EngineError('promptTooLong', thrown.message);
  }
  return ownerLost(thrown);
}

export function ownerLost(cause: unknown = null): EngineError {
  const message = t('The window that ran the model has ended. Try again: Inkling loads the model here.');
  return new EngineError('ownerLost', message, cause === null ? {} : { cause });
}

/** The owner sent what is no answer to the question. */
export function malformed(what: string): EngineError {
  return ownerLost(new Error(`the owner sent a malformed ${what}`));
}

/** Messages of the engine have a few sentences. */
export function shownMessage(message: unknown): string {
  return isText(message) ? message.split('\n').slice(0, 20).map(shownText).join('\n') : '';
}

function isEngineErrorCode(value: unknown): value is EngineErrorCode {
  return (ENGINE_ERROR_CODES as readonly unknown[]).includes(value);
}
