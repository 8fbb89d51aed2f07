import path from 'node:path/posix';
import { locationOf, notebookOf } from '../../../context/files/file-location.js';
import { importsOf, type LanguageSupport } from '../../../context/languages/language-support.js';
import { languageById } from '../../../context/languages/languages.js';
import type { SearchedText } from '../searched-text.js';

type File = Pick<SearchedText, 'uri' | 'languageId' | 'text'>;

/**
 * Whether a file knows what another one declares for all: it imports it, or its language shares a folder's declarations,
 * or both are scripts, or cells of one notebook, which share everything.
 *
 * @param name as the declaring file's importers write it
 */
export function seesDeclaration(file: File, declaring: File, name: string): boolean {
  const language = languageById(file.languageId);
  if (language === null || languageById(declaring.languageId)?.family !== language.family) return false;
  const notebook = notebookOf(file.uri);
  if (notebook !== null && notebook === notebookOf(declaring.uri)) return true;
  const [from, to] = [locationOf(file.uri).path, locationOf(declaring.uri).path];
  if (language.folderIsScope && path.dirname(from) === path.dirname(to)) return true;
  const references = importsOf(language, file.text);
  if (language.family === 'typescript' && references.length === 0) return isScript(file) && isScript(declaring);
  return references.some((reference) => {
    const leadsThere = leadsTo(language, reference, from, to);
    if (reference.names === null) return leadsThere;
    const isNamed = reference.names.some(({ declared }) => declared === name);
    return isNamed && (leadsThere || HANDS_ON.test(reference.specifier));
  });
}

/** Where aliases lead is not known here, so the last part of the path decides. */
function leadsTo(
  language: LanguageSupport,
  reference: ReturnType<typeof importsOf>[number],
  from: string,
  to: string,
): boolean {
  if (language.importTargets(reference, from, '/').includes(to)) return true;
  const last = reference.specifier.split(/[/.:]+/).findLast((part) => part !== '' && !EXTENSION.test(part)) ?? '';
  const [stem = ''] = path.basename(to).split('.', 1);
  return (
    !reference.specifier.startsWith('.') &&
    last === (/^(?:index|__init__|mod)$/.test(stem) ? path.basename(path.dirname(to)) : stem)
  );
}

/** The index of a folder exports what other files declare. */
const HANDS_ON = /^\.\.?$|^\.\.?\/(?:.*\/)?index(?:\.\w+)?$/;
const EXTENSION = /^(?:[cm]?[jt]sx?|h|hh|hpp|hxx|c|cc|cpp|py|rs|go|java)$/;

function isScript({ text }: File): boolean {
  return !/^[ \t]*(?:import|export)\b|\b(?:require|import)\(|\bmodule\.exports\b/m.test(text);
}
