import { currentTranslations } from '../../../server/protocol/index.js';

/** What every Inkling page needs. */
export interface PageOptions {
  /** New for each page. */
  readonly nonce: string;
  /** `Webview.cspSource`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

export interface PageContent {
  /** Plain text. */
  readonly title: string;
  /** HTML. */
  readonly body: string;
}

/** A page that may run Inkling's script, apply Inkling's style sheet, and load nothing else. */
export function page({ nonce, cspSource, scriptUri, styleUri }: PageOptions, { title, body }: PageContent): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const translations = currentTranslations();
  return `<!DOCTYPE html>
<html lang="${escaped(translations.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(styleUri)}">
<title>${escaped(title)}</title>
</head>
<body data-translations="${escaped(JSON.stringify(translations))}">
${body}
<script nonce="${escaped(nonce)}" src="${escaped(scriptUri)}"></script>
</body>
</html>`;
}

/** Escapes text for an element's content or an attribute in double quotes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
