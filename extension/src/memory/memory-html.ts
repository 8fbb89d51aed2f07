import { PLOT_HEIGHT, PLOT_WIDTH } from './webview/messages.js';

export interface MemoryHtmlOptions {
  /** Fresh for each page. */
  readonly nonce: string;
  /** `Webview.cspSource`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

/** The page of the memory view: it may run Inkling's script and apply Inkling's style sheet, and load nothing else. */
export function memoryHtml(options: MemoryHtmlOptions): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${options.nonce}'`,
    `style-src ${options.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(options.styleUri)}">
<title>Inkling: Memory</title>
</head>
<body>
<main>
<h1>Memory</h1>
<p id="headline">The server has not reported yet.</p>
<div id="content" hidden>
<h2>The last hour</h2>
<figure>
<div class="plot">
<span id="top-label" class="scale" aria-hidden="true"></span>
<span id="middle-label" class="scale middle" aria-hidden="true"></span>
<svg id="plot" role="img" aria-labelledby="plot-in-words" viewBox="0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}" preserveAspectRatio="none">
<line class="grid" x1="0" x2="${PLOT_WIDTH}" y1="${PLOT_HEIGHT / 2}" y2="${PLOT_HEIGHT / 2}"/>
<line class="grid" x1="${PLOT_WIDTH / 2}" x2="${PLOT_WIDTH / 2}" y1="0" y2="${PLOT_HEIGHT}"/>
<g id="areas"></g>
<line id="budget" class="budget" x1="0" x2="${PLOT_WIDTH}" y1="0" y2="0"/>
</svg>
<div class="times" aria-hidden="true"><span>60 minutes ago</span><span>30</span><span>now</span></div>
</div>
<figcaption id="plot-in-words"></figcaption>
<ul id="legend" aria-label="Legend"></ul>
</figure>
<h2 id="breakdown-heading">Now</h2>
<table aria-labelledby="breakdown-heading">
<thead><tr><th scope="col">Part</th><th scope="col">Share</th><th scope="col">Memory</th></tr></thead>
<tbody id="breakdown"></tbody>
</table>
<p class="actions">
<button id="free-caches" type="button">Free caches</button>
<button id="unload" type="button">Unload the model</button>
</p>
</div>
</main>
<script nonce="${attribute(options.nonce)}" src="${attribute(options.scriptUri)}"></script>
</body>
</html>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
