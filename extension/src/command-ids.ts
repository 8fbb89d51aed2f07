/** The commands that package.json contributes. */
export const INKLING_COMMANDS = {
  restart: 'inkling.restart',
  toggle: 'inkling.toggle',
  showLog: 'inkling.showLog',
  whyNoSuggestion: 'inkling.whyNoSuggestion',
  showStatistics: 'inkling.showStatistics',
  snooze: 'inkling.snooze',
  acceptNextWord: 'inkling.acceptNextWord',
  acceptNextLine: 'inkling.acceptNextLine',
} as const;

/** Registered but not contributed: what the status bar and the panel run. */
export const INTERNAL_COMMANDS = {
  showModelSetting: 'inkling.internal.showModelSetting',
} as const;

/** Commands of VS Code that Inkling sends the user to; the first exists for every contributed view. */
export const EDITOR_COMMANDS = {
  showPanel: 'inkling.chat.focus',
  openSettings: 'workbench.action.openSettings',
  openRemoteSettings: 'workbench.action.openRemoteSettings',
  triggerSuggestion: 'editor.action.inlineSuggest.trigger',
  acceptNextWord: 'editor.action.inlineSuggest.acceptNextWord',
  acceptNextLine: 'editor.action.inlineSuggest.acceptNextLine',
} as const;
