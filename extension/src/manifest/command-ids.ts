/** The commands that package.json contributes. */
export const INKLING_COMMANDS = {
  openWalkthrough: 'inkling.openWalkthrough',
  showMenu: 'inkling.showMenu',
  restart: 'inkling.restart',
  toggle: 'inkling.toggle',
  showLog: 'inkling.showLog',
  pickModel: 'inkling.pickModel',
  useOneModel: 'inkling.useOneModel',
  whyNoSuggestion: 'inkling.whyNoSuggestion',
  showStatistics: 'inkling.showStatistics',
  snooze: 'inkling.snooze',
  showMemory: 'inkling.showMemory',
  freeCaches: 'inkling.freeCaches',
  unload: 'inkling.unload',
  load: 'inkling.load',
  useRemote: 'inkling.useRemote',
  setRemoteKey: 'inkling.setRemoteKey',
  openChat: 'inkling.openChat',
  newConversation: 'inkling.newConversation',
  exportConversation: 'inkling.exportConversation',
  explain: 'inkling.explain',
  fix: 'inkling.fix',
  writeTests: 'inkling.writeTests',
  writeDocumentation: 'inkling.writeDocumentation',
  attachSelection: 'inkling.attachSelection',
  attachFile: 'inkling.attachFile',
  applyProposal: 'inkling.applyProposal',
  discardProposal: 'inkling.discardProposal',
  editSelection: 'inkling.editSelection',
  keepEdit: 'inkling.keepEdit',
  undoEdit: 'inkling.undoEdit',
  showEdit: 'inkling.showEdit',
  writeCommitMessage: 'inkling.writeCommitMessage',
  acceptNextWord: 'inkling.acceptNextWord',
  acceptNextLine: 'inkling.acceptNextLine',
  acceptNextEdit: 'inkling.nextEdit.accept',
  dismissNextEdit: 'inkling.nextEdit.dismiss',
} as const;

/** Registered but not contributed: commands for the status bar, the panel and the walkthrough. */
export const INTERNAL_COMMANDS = {
  openExample: 'inkling.internal.openExample',
  /** Leaves Inkling on if it is: its button may be older than that. */
  turnOn: 'inkling.internal.turnOn',
  /** Goes to the announced edit if need be, and makes it. */
  makeNextEdit: 'inkling.internal.makeNextEdit',
  /** Uses the chat model that is offered, whose id is the argument. */
  useOfferedChatModel: 'inkling.internal.useOfferedChatModel',
  /** Turns suggestions on in the active editor's language. */
  turnOnLanguage: 'inkling.internal.turnOnLanguage',
  /** Works while no server runs, too. */
  useStarter: 'inkling.internal.useStarter',
  /** They show `inkling.engine.device` and `inkling.remote.model` in VS Code's settings. */
  openDeviceSetting: 'inkling.internal.openDeviceSetting',
  openRemoteModelSetting: 'inkling.internal.openRemoteModelSetting',
  /** Their argument is the number of a hunk that is shown. */
  keepHunk: 'inkling.internal.keepHunk',
  undoHunk: 'inkling.internal.undoHunk',
} as const;

/** VS Code's own commands that Inkling runs; the first exists for every contributed view. */
export const EDITOR_COMMANDS = {
  showPanel: 'inkling.chat.focus',
  diff: 'vscode.diff',
  revealFile: 'revealFileInOS',
  openWalkthrough: 'workbench.action.openWalkthrough',
  openWith: 'vscode.openWith',
  /** Their argument has the search as its `query`. */
  openSettings: 'workbench.action.openSettings2',
  openRemoteSettings: 'workbench.action.openRemoteSettings',
  /** Puts the cursor into the selected cell of a notebook. */
  editCell: 'notebook.cell.edit',
  focusEditor: 'workbench.action.focusActiveEditorGroup',
  triggerSuggestion: 'editor.action.inlineSuggest.trigger',
  acceptNextWord: 'editor.action.inlineSuggest.acceptNextWord',
  acceptNextLine: 'editor.action.inlineSuggest.acceptNextLine',
  /** What Tab does by default. */
  tab: 'tab',
} as const;
