import { type TextEditor, workspace } from 'vscode';
import type { CodeAppearance } from './preview-image.js';

const USUAL_FONT_SIZE = 14;
/** VS Code's own, where the line height is 0, which is automatic. */
const LINE_HEIGHT_RATIO = process.platform === 'darwin' ? 1.5 : 1.35;
/** Smaller values are a factor of the font size. */
const LEAST_LINE_HEIGHT = 8;

/** The settings that decide how the editor shows code. */
export function readAppearance({ document, options }: TextEditor): CodeAppearance {
  const editor = workspace.getConfiguration('editor', document);
  const fontSize = positive(editor.get('fontSize'), USUAL_FONT_SIZE);
  const written = positive(editor.get('lineHeight'), LINE_HEIGHT_RATIO);
  const lineHeight = Math.round(written < LEAST_LINE_HEIGHT ? written * fontSize : written);
  const fontFamily = editor.get('fontFamily');
  return {
    fontFamily: typeof fontFamily === 'string' && fontFamily !== '' ? fontFamily : 'monospace',
    fontSize,
    lineHeight,
    tabSize: positive(options.tabSize, 4),
  };
}

function positive(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 && value <= 200 ? value : otherwise;
}
