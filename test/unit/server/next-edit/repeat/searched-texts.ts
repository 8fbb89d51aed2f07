import { afterAll } from 'vitest';
import type { SearchedText } from '../../../../../server/src/next-edit/repeat/searched-text.js';
import { LexicalSyntax } from '../../../../../server/src/syntax/lexical/lexical-syntax.js';
import { syntaxTrees } from '../../../../support/code/grammars.js';
import { parsedSyntax } from '../../../../support/code/parsed-syntax.js';

/** Makes documents as the search gets them, parsed with the real grammars. Kotlin has none here. */
export function searchedTexts(): (uri: string, languageId: string, text: string) => Promise<SearchedText> {
  const trees = syntaxTrees();
  afterAll(() => trees.dispose());
  return async (uri, languageId, text) => {
    const document = { uri, languageId, text };
    const syntax = languageId === 'kotlin' ? new LexicalSyntax(languageId, text) : await parsedSyntax(trees, document);
    return { ...document, syntax };
  };
}
