/** What nobody writes is no glob. */
const LONGEST_GLOB = 1_000;
const MOST_ALTERNATIVES = 64;
const MOST_BRACES = 16;

/**
 * One glob for those that are on in a setting such as `search.exclude`; null if none is. VS Code's braces do not nest,
 * so a glob with braces becomes several.
 */
export function excludingGlob(setting: unknown): string | null {
  const entries = typeof setting === 'object' && setting !== null ? Object.entries(setting) : [];
  const globs = entries.flatMap(([glob, isOn]) => (isOn === true ? alternatives(glob) : []));
  return globs.length === 0 ? null : `{${globs.join(',')}}`;
}

function alternatives(glob: string): readonly string[] {
  if (glob.length > LONGEST_GLOB) return [];
  let globs: readonly string[] = [glob];
  for (let round = 0; round < MOST_BRACES; round++) {
    // The first pair of braces without others inside it.
    const found = globs.map((each) => /\{([^{}]*)\}/.exec(each));
    if (found.every((each) => each === null)) break;
    const expanded = globs.flatMap((each, index) => {
      const braces = found[index] ?? null;
      if (braces === null) return [each];
      const [whole, choices = ''] = braces;
      const [before, behind] = [each.slice(0, braces.index), each.slice(braces.index + whole.length)];
      return choices.split(',').map((choice) => before + choice + behind);
    });
    globs = [...new Set(expanded)];
    if (globs.length > MOST_ALTERNATIVES) return [];
  }
  // A comma or a brace that is left would end one of the alternatives.
  return globs.filter((each) => each !== '' && !/[{},]/.test(each));
}

/** The files with these letters in their name, in any case. Only the last part of a path counts. */
export function namesWith(letters: string): string {
  const name = letters.slice(letters.lastIndexOf('/') + 1);
  return `**/*${[...name].map(inAnyCase).join('')}*`;
}

function inAnyCase(letter: string): string {
  // With a meaning in globs.
  if (/[[\]{}*?!\\,]/.test(letter)) return '?';
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  return lower === upper || lower.length !== upper.length ? letter : `[${lower}${upper}]`;
}
