/** Settings of the user whose editor the tests drive: nothing that is not under test appears by itself. */
export const USER_SETTINGS: Readonly<Record<string, unknown>> = {
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.restoreWindows': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  // What terminals show stands in the page.
  'terminal.integrated.gpuAcceleration': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'files.simpleDialog.enable': true,
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  'editor.accessibilitySupport': 'off',
  'editor.minimap.enabled': false,
  // A file that fits the window stays where it is, and the tests read it as a whole from the screen.
  'editor.scrollBeyondLastLine': false,
  'editor.cursorBlinking': 'solid',
  // Code that is being typed is full of errors, and nothing here is about them.
  'typescript.validate.enable': false,
  'remote.autoForwardPorts': false,
  // Ghost text alone, without a list of words over it or a toolbar beside it.
  'editor.inlineSuggest.enabled': true,
  'editor.inlineSuggest.showToolbar': 'never',
  'editor.wordBasedSuggestions': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  // The trace is the witness of what the language server answered.
  'inkling.trace.server': 'verbose',
};

/** Settings of scope `machine`, which a remote window, such as code-server's, does not take from the user's. */
export const MACHINE_SETTINGS: Readonly<Record<string, unknown>> = {
  // On a machine that is busy with other work, suggestions come later and the tests take longer; that is all.
  'inkling.completion.timeBudget': 60_000,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};
