import type { Vocabulary } from '../../../../server/src/chat/prompt/chat-prompt.js';

/** Special tokens by their text, with ids from 1. Every other token is one character, with its code plus 1000 as id. */
export class ToyVocabulary implements Vocabulary {
  constructor(readonly special: readonly string[]) {}

  id(spelling: string): number {
    return this.special.indexOf(spelling) + 1;
  }

  async tokenize(text: string, { parseSpecial }: { readonly parseSpecial: boolean }): Promise<readonly number[]> {
    const tokens: number[] = [];
    let at = 0;
    while (at < text.length) {
      const found = parseSpecial ? this.special.find((spelling) => text.startsWith(spelling, at)) : undefined;
      tokens.push(found === undefined ? text.charCodeAt(at) + 1000 : this.id(found));
      at += found?.length ?? 1;
    }
    return tokens;
  }

  async detokenize(tokens: readonly number[], { special }: { readonly special: boolean }): Promise<string> {
    const spell = (token: number) =>
      token > 1000 ? String.fromCharCode(token - 1000) : special ? (this.special[token - 1] ?? '') : '';
    return tokens.map(spell).join('');
  }
}
