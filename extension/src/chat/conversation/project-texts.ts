/** A prompt of the project, which a question begins with as `/name`. */
export interface OwnPrompt {
  readonly name: string;
  /** The first line, for the list of commands. */
  readonly summary: string;
  readonly text: string;
}

/** What a project tells its model. */
export interface ProjectTexts {
  /** The rules of all workspace folders; null without any. */
  readonly rules: string | null;
  readonly prompts: readonly OwnPrompt[];
}

export const NO_PROJECT_TEXTS: ProjectTexts = { rules: null, prompts: [] };
