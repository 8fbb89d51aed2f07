import { NotificationType, ParameterStructures, ProgressType, RequestType } from 'vscode-jsonrpc/node';

/** Part of the offer's name: windows with another one never meet. Change it with any message. */
export const PROTOCOL_VERSION = 4;

const BY_NAME = ParameterStructures.byName;

/** The first request of a guest. Its answer says that the owner has accepted it. */
export const HELLO = new RequestType<Hello, unknown, void>('hello', BY_NAME);

export interface Hello {
  readonly protocol: number;
  readonly version: string;
  /** The secret of the key file, which only this user can read. */
  readonly secret: string;
}

/** Answered with the model's facts, and the drawback of its plan, once it is loaded. */
export const LOAD = new RequestType<WithProgress, unknown, void>('load', BY_NAME);

/** Names the answer's progress; of the guest's choice. */
export interface WithProgress {
  readonly progress: number;
}

/** Answered with a `GenerationResult`; an abort is the protocol's cancellation, and resolves. */
export const GENERATE = new RequestType<WithProgress & { readonly request: unknown }, unknown, void>(
  'generate',
  BY_NAME,
);
export const TOKENIZE = new RequestType<unknown, unknown, void>('tokenize', BY_NAME);
export const DETOKENIZE = new RequestType<unknown, unknown, void>('detokenize', BY_NAME);
export const RELEASE = new RequestType<unknown, unknown, void>('release', BY_NAME);
/** Answered with the memory that the model takes there. */
export const PING = new RequestType<unknown, unknown, void>('ping', BY_NAME);

/** Fractions of a load, and pieces of an answer's text. */
export const FRACTION = new ProgressType<unknown>();
export const PIECE = new ProgressType<unknown>();

/** The owner says why, before it closes the connection. */
export const DISCONNECTED = new NotificationType<{ readonly reason: Violation }>('disconnected', BY_NAME);

/** Why an owner ends a connection. */
export type Violation =
  | 'frameTooLarge'
  | 'notJson'
  | 'unknownMessage'
  | 'malformedMessage'
  | 'noHello'
  | 'wrongHello'
  | 'tooManyWindows'
  | 'tooManyRequests'
  | 'slowReader';

/** What either side may send; any other message ends the connection. */
export const OWNER_HEARS: ReadonlySet<string> = new Set([
  ...[HELLO, LOAD, GENERATE, TOKENIZE, DETOKENIZE, RELEASE, PING].map(({ method }) => method),
  '$/cancelRequest',
]);
export const GUEST_HEARS: ReadonlySet<string> = new Set(['$/progress', DISCONNECTED.method]);
