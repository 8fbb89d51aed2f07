import { t } from '../../../server/protocol/index.js';
import { escaped, type PageOptions, page } from '../texts/page-parts.js';
import { PLOT_HEIGHT, PLOT_WIDTH } from './webview/messages.js';

/** The page of the memory view. */
export function memoryHtml(options: PageOptions): string {
  const columns = [t('Part'), t('Share'), t('Memory')].map((each) => `<th scope="col">${escaped(each)}</th>`).join('');
  const body = `<main>
<h1>${escaped(t('Memory'))}</h1>
<p id="headline"></p>
<div id="content" hidden>
<h2>${escaped(t('History'))}</h2>
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
<div class="times" aria-hidden="true">
<span id="start-label"></span><span id="halfway-label"></span><span>${escaped(t('now'))}</span>
</div>
</div>
<figcaption id="plot-in-words"></figcaption>
<ul id="legend" aria-label="${escaped(t('Legend'))}"></ul>
</figure>
<h2 id="breakdown-heading">${escaped(t('Now'))}</h2>
<table aria-labelledby="breakdown-heading">
<thead><tr>${columns}</tr></thead>
<tbody id="breakdown"></tbody>
</table>
<h2 id="facts-heading">${escaped(t('Model and last suggestion'))}</h2>
<table id="facts-table" aria-labelledby="facts-heading">
<tbody id="facts"></tbody>
</table>
<p class="actions">
<button id="free-caches" type="button">${escaped(t('Free caches'))}</button>
<button id="unload" type="button">${escaped(t('Unload the model'))}</button>
<button id="load" type="button" hidden>${escaped(t('Load the model'))}</button>
</p>
</div>
</main>`;
  return page(options, { title: t('Inkling: Memory'), body });
}
