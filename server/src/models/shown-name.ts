/** What the file of the starter model calls itself, after the program that trained it. */
const STARTER_IN_FILE = 'Seedling FIM 53M';

/** A model's name as people read it; logs and decisions about formats use the file's own. */
export function shownName(name: string): string {
  return name === STARTER_IN_FILE ? 'Inkling Starter' : name;
}
