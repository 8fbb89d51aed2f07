import type { CompletionRequest } from './completion-request.js';

/**
 * The place where the user last asked by command. The editor asks there again by itself, as when its suggest widget opens
 * or another item is selected: that is still the user's question, and what is unsure may be shown.
 */
export class AskedPlace {
  #uri = '';
  #version = 0;
  #offset = 0;

  /** The request as the user means it. */
  read(request: CompletionRequest): CompletionRequest {
    const { document, offset, trigger } = request;
    if (trigger === 'invoked') {
      this.#uri = document.uri;
      this.#version = document.version;
      this.#offset = offset;
    }
    if (trigger !== 'automatic') return request;
    const isHere = document.uri === this.#uri && document.version === this.#version && offset === this.#offset;
    return isHere ? { ...request, trigger: 'invoked' } : request;
  }

  /** Versions begin again when the document is opened again. */
  closed(uri: string): void {
    if (uri === this.#uri) this.#uri = '';
  }
}
