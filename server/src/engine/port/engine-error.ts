import { ENGINE_ERROR_CODES, type EngineErrorCode, type EngineErrorInfo } from '../../../protocol/index.js';

/** The one error type that crosses the `Engine` port. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get info(): EngineErrorInfo {
    return { code: this.code, message: this.message };
  }
}

/** Gives any thrown value a code: the addon's own, or `internal` for everything unforeseen. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown;
  if (!(thrown instanceof Error)) return new EngineError('internal', String(thrown));
  const code = 'code' in thrown ? thrown.code : null;
  return new EngineError(isEngineErrorCode(code) ? code : 'internal', thrown.message, { cause: thrown });
}

function isEngineErrorCode(value: unknown): value is EngineErrorCode {
  return (ENGINE_ERROR_CODES as readonly unknown[]).includes(value);
}
