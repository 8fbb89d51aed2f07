export interface ChatPage {
  /** Fresh for each page. */
  readonly nonce: string;
  /** `Webview.cspSource`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

/** The page of the chat panel: it may run Inkling's script and apply Inkling's style sheet, and load nothing else. */
export function chatHtml(page: ChatPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(page.styleUri)}">
<title>Inkling</title>
</head>
<body>
<main>
<section aria-labelledby="model-heading">
<h2 id="model-heading">Model</h2>
<p id="headline" role="status"></p>
<dl id="facts"></dl>
</section>
<section aria-labelledby="chat-heading">
<h2 id="chat-heading">Chat</h2>
<p id="chat-note"></p>
<button id="action" type="button" hidden></button>
</section>
</main>
<script nonce="${attribute(page.nonce)}" src="${attribute(page.scriptUri)}"></script>
</body>
</html>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
