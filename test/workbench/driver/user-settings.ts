/** User settings of the tested editor: nothing appears automatically unless it is under test. */
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
  // Terminals then write their text into the page.
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
  // A file that fits the window does not scroll, so that the tests can read it from the screen.
  'editor.scrollBeyondLastLine': false,
  'editor.cursorBlinking': 'solid',
  'workbench.reduceMotion': 'on',
  // Packages that no test names, from the network.
  'typescript.disableAutomaticTypeAcquisition': true,
  // Unfinished code is full of errors, which no test here needs.
  'typescript.validate.enable': false,
  'remote.autoForwardPorts': false,
  // Ghost text alone, without a suggest widget or toolbar.
  'editor.inlineSuggest.enabled': true,
  'editor.inlineSuggest.showToolbar': 'never',
  'editor.wordBasedSuggestions': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  // The trace shows the language server's answers.
  'inkling.trace.server': 'verbose',
};

/** Settings of scope `machine`, which a remote window such as code-server's does not take from the user's settings. */
export const MACHINE_SETTINGS: Readonly<Record<string, unknown>> = {
  // On a busy machine, suggestions only come later and the tests take longer.
  'inkling.completion.timeBudget': 60_000,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};
