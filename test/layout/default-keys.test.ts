import { expect, test } from 'vitest';
import { readSource } from '../support/source-tree.js';

interface KeyBinding {
  readonly command: string;
  readonly key: string;
  readonly mac?: string;
  readonly when: string;
}

/** A key binding that VS Code has by default. */
interface DefaultKey {
  readonly command: string;
  /** On Linux and Windows; null where it is bound on macOS only. */
  readonly key: string | null;
  /** On macOS; absent for the same key with Cmd. */
  readonly mac?: string;
  /** Conditions of ours, any of which keeps the two apart, or lets ours go first where that is meant. */
  readonly apart: readonly string[];
}

/** It has the keyboard in lists, pages and inputs, where no text of an editor has it. */
const IN_TEXT = 'editorTextFocus';
/** Where ghost text stands, its keys go first, as VS Code's own do. */
const AT_GHOST_TEXT = 'inlineSuggestionVisible';

/**
 * The default key bindings of VS Code 1.139.1 that begin with a key of ours, from its workbench.js: those of text editors,
 * and all that begin with Ctrl+K alone or with both keys of a pair. A new key of ours needs its list here.
 */
const DEFAULT_KEYS: readonly DefaultKey[] = [
  { command: 'keybindings.editor.addKeybinding', key: 'ctrl+k ctrl+a', apart: ['!keybindingFocus'] },
  { command: 'keybindings.editor.defineWhenExpression', key: 'ctrl+k ctrl+e', apart: [IN_TEXT] },
  {
    command: 'workbench.action.terminal.clear',
    key: null,
    mac: 'cmd+k',
    apart: ['!terminalFocus', IN_TEXT, "focusedView == 'inkling.chat'"],
  },
  {
    command: 'workbench.debug.panel.action.clearReplAction',
    key: null,
    mac: 'cmd+k',
    // Its input is a simple editor.
    apart: ["focusedView != 'workbench.panel.repl.view'", '!editorSimpleInput', "focusedView == 'inkling.chat'"],
  },
  { command: 'cursorWordEndRight', key: 'ctrl+right', mac: 'alt+right', apart: [AT_GHOST_TEXT] },
  { command: 'cursorWordAccessibilityRight', key: 'ctrl+right', apart: ['!accessibilityModeEnabled'] },
  { command: 'cursorEnd', key: null, mac: 'cmd+right', apart: [AT_GHOST_TEXT] },
  { command: 'editor.action.inlineSuggest.acceptNextWord', key: 'ctrl+right', apart: [AT_GHOST_TEXT] },
  { command: 'scrollLineDown', key: 'ctrl+down', mac: 'ctrl+pagedown', apart: [AT_GHOST_TEXT] },
  { command: 'cursorBottom', key: null, mac: 'cmd+down', apart: [AT_GHOST_TEXT] },
  { command: 'selectNextSuggestion', key: 'ctrl+down', apart: [AT_GHOST_TEXT] },
  { command: 'tab', key: 'tab', mac: 'tab', apart: ['inkling.nextEditTakesTab'] },
  { command: 'acceptSelectedSuggestion', key: 'tab', mac: 'tab', apart: ['!suggestWidgetVisible'] },
  { command: 'insertBestCompletion', key: 'tab', mac: 'tab', apart: ['inkling.nextEditTakesTab'] },
  { command: 'jumpToNextSnippetPlaceholder', key: 'tab', mac: 'tab', apart: ['!inSnippetMode'] },
  { command: 'insertSnippet', key: 'tab', mac: 'tab', apart: ['!hasSnippetCompletions'] },
  { command: 'editor.emmet.action.expandAbbreviation', key: 'tab', mac: 'tab', apart: ['inkling.nextEditTakesTab'] },
  { command: 'editor.action.inlineSuggest.commit', key: 'tab', mac: 'tab', apart: ['!inlineSuggestionVisible'] },
  { command: 'editor.action.inlineSuggest.jump', key: 'tab', mac: 'tab', apart: ['!inlineEditIsVisible'] },
  { command: 'cancelSelection', key: 'escape', mac: 'escape', apart: ['!editorHasSelection'] },
  { command: 'removeSecondaryCursors', key: 'escape', mac: 'escape', apart: ['!editorHasMultipleSelections'] },
  { command: 'editor.action.cancelSelectionAnchor', key: 'escape', mac: 'escape', apart: ['!selectionAnchorSet'] },
  { command: 'editor.hidePasteWidget', key: 'escape', mac: 'escape', apart: ['!pasteWidgetVisible'] },
  { command: 'closeFindWidget', key: 'escape', mac: 'escape', apart: ['!findWidgetVisible'] },
  { command: 'closeMarkersNavigation', key: 'escape', mac: 'escape', apart: ['!markersNavigationVisible'] },
  { command: 'leaveSnippet', key: 'escape', mac: 'escape', apart: ['!inSnippetMode'] },
  { command: 'hideSuggestWidget', key: 'escape', mac: 'escape', apart: ['!suggestWidgetVisible'] },
  { command: 'editor.action.inlineSuggest.hide', key: 'escape', mac: 'escape', apart: ['!inlineSuggestionVisible'] },
  // Of an edit that another extension proposes.
  { command: 'editor.action.inlineSuggest.hide', key: 'escape', mac: 'escape', apart: ['!inlineEditIsVisible'] },
  { command: 'editor.hideDropWidget', key: 'escape', mac: 'escape', apart: ['!dropWidgetVisible'] },
  // Peek views may stay open beside the editor that has the keyboard.
  { command: 'closeReferenceSearch', key: 'escape', mac: 'escape', apart: ['!referenceSearchVisible'] },
  { command: 'closeQuickDiff', key: 'escape', mac: 'escape', apart: ['!dirtyDiffVisible'] },
  { command: 'editor.closeCallHierarchy', key: 'escape', mac: 'escape', apart: ['!callHierarchyVisible'] },
  { command: 'editor.closeTypeHierarchy', key: 'escape', mac: 'escape', apart: ['!typeHierarchyVisible'] },
  { command: 'editor.closeTestPeek', key: 'escape', mac: 'escape', apart: ['!testing.isPeekVisible'] },
  {
    command: 'editor.debug.action.closeExceptionWidget',
    key: 'escape',
    mac: 'escape',
    apart: ['!exceptionWidgetVisible'],
  },
  { command: 'cancelLinkedEditingInput', key: 'escape', mac: 'escape', apart: ['!LinkedEditingInputVisible'] },
  { command: 'closeParameterHints', key: 'escape', mac: 'escape', apart: ['!parameterHintsVisible'] },
  { command: 'closeBreakpointWidget', key: 'escape', mac: 'escape', apart: ['!editorSimpleInput'] },
  { command: 'cancelRenameInput', key: 'escape', mac: 'escape', apart: [IN_TEXT] },
];

const { contributes } = JSON.parse(readSource('package.json')) as {
  readonly contributes: { readonly keybindings: readonly KeyBinding[] };
};

function onMac({ key, mac }: { readonly key: string | null; readonly mac?: string }): string | null {
  return mac ?? key?.replaceAll('ctrl', 'cmd') ?? null;
}

/** Whether VS Code's keys would come to their end within ours, or be ours. */
function begins(own: string | null, theirs: string | null): boolean {
  return own !== null && theirs !== null && `${own} `.startsWith(`${theirs} `);
}

/** VS Code's commands whose keys a binding would take. */
function takenBy(binding: Omit<KeyBinding, 'command'>): readonly string[] {
  const conditions = binding.when.split(' && ');
  const rivals = DEFAULT_KEYS.filter((each) => begins(binding.key, each.key) || begins(onMac(binding), onMac(each)));
  return rivals.filter(({ apart }) => !apart.some((each) => conditions.includes(each))).map(({ command }) => command);
}

test.each(contributes.keybindings)('$key for $command leaves VS Code its own keys', (binding) => {
  expect(takenBy(binding)).toEqual([]);
});

test('a binding that is not kept apart takes keys', () => {
  const taken = takenBy({ key: 'ctrl+k ctrl+a', when: '!terminalFocus' });
  expect(taken).toEqual(['keybindings.editor.addKeybinding', 'workbench.debug.panel.action.clearReplAction']);
  expect(takenBy({ key: 'ctrl+k ctrl+x', when: '!terminalFocus && !editorSimpleInput' })).toEqual([]);
});

test('Escape is never taken from VSCodeVim and VSCode Neovim, which leave a mode with it', () => {
  const [binding, ...others] = contributes.keybindings.filter(({ key }) => key === 'escape');
  const modes = [
    "vim.mode != 'Insert'",
    "vim.mode != 'Replace'",
    "neovim.mode != 'insert'",
    "neovim.mode != 'replace'",
  ];
  expect(binding?.when.split(' && ')).toEqual(expect.arrayContaining(modes));
  expect(others).toEqual([]);
});
