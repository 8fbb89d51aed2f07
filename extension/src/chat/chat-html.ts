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
<title>Inkling Chat</title>
</head>
<body>
<header role="banner">
<h1 class="hidden-text">Chat with <span id="model">the model</span></h1>
<label class="hidden-text" for="conversations">Conversation</label>
<select id="conversations"></select>
<button id="new" type="button" class="quiet">New</button>
<button id="delete" type="button" class="quiet">Delete</button>
<button id="export" type="button" class="quiet">Export</button>
</header>
<main>
<div id="transcript" role="region" aria-label="Conversation" tabindex="0"></div>
<div id="announcement" class="hidden-text" role="status"></div>
<section id="notice" aria-label="State" hidden>
<p id="notice-text" role="status"></p>
<button id="action" type="button" hidden></button>
</section>
<form id="composer" aria-label="Question">
<ul id="attachments" class="chips" aria-label="Attached"></ul>
<div id="menu" role="listbox" aria-label="Choices" hidden></div>
<label class="hidden-text" for="input">Question</label>
<textarea id="input" rows="3" aria-controls="menu" aria-autocomplete="list" aria-describedby="hint size" placeholder="Ask about your code"></textarea>
<p id="hint" class="hint">@ attaches, / runs a command, Enter asks, Shift+Enter begins a new line.</p>
<div class="row">
<span id="size" class="hint"></span>
<meter id="meter" aria-label="Context in use" min="0" max="1" high="0.9" value="0" hidden></meter>
<span class="space"></span>
<label id="think-label" hidden><input id="think" type="checkbox"> Think</label>
<button id="attach" type="button" class="quiet">Attach</button>
<button id="cancel" type="button" class="quiet" hidden>Cancel</button>
<button id="send" type="submit">Ask</button>
<button id="stop" type="button" hidden>Stop</button>
</div>
</form>
</main>
<script nonce="${attribute(page.nonce)}" src="${attribute(page.scriptUri)}"></script>
</body>
</html>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
