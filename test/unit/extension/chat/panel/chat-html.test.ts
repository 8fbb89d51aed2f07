import { describe, expect, it } from 'vitest';
import { chatHtml } from '../../../../../extension/src/chat/panel/chat-html.js';
import { readPageMessage } from '../../../../../extension/src/chat/panel/page-message.js';

const html = chatHtml({
  nonce: 'bm9uY2U=',
  cspSource: 'https://*.vscode-cdn.example',
  scriptUri: 'https://file.vscode-resource/dist/chat-webview.js?a=1&b="2"',
  styleUri: 'https://file.vscode-resource/media/chat.css',
});

describe('chatHtml', () => {
  it('allows only its own script and style sheet', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'nonce-bm9uY2U='",
      'style-src https://*.vscode-cdn.example',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  it('has one script, with the nonce, and nothing inline', () => {
    const scripts = html.match(/<script[^>]*>[^<]*/g);
    expect(scripts).toEqual([
      '<script nonce="bm9uY2U=" src="https://file.vscode-resource/dist/chat-webview.js?a=1&amp;b=&quot;2&quot;">',
    ]);
    expect(html).not.toMatch(/<style|\son\w+=|\sstyle=|javascript:/);
  });

  it('takes no longer text than the extension reads', () => {
    const longest = Number(/<textarea[^>]* maxlength="(\d+)"/.exec(html)?.[1]);
    const question = { kind: 'ask', text: 'x'.repeat(longest) };
    expect(readPageMessage(question)).toEqual(question);
    expect(readPageMessage({ ...question, text: `${question.text}x` })).toBeNull();
  });

  it('names its language, its regions and its live status for screen readers', () => {
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('role="status"');
    for (const [, id] of html.matchAll(/aria-labelledby="([^"]+)"/g)) expect(html).toContain(`id="${id}"`);
  });
});
