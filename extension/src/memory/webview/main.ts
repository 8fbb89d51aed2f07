import { formatPercent, parseTranslations, setTranslations, t } from '../../../../server/protocol/index.js';
import type { BreakdownRow, MemoryPage, MessageFromMemoryPage, MessageToMemoryPage, PageFact } from './messages.js';

interface WebviewHost {
  postMessage(message: MessageFromMemoryPage): void;
}
declare function acquireVsCodeApi(): WebviewHost;

const SVG = 'http://www.w3.org/2000/svg';
const BAR_WIDTH = 120;
const BAR_HEIGHT = 10;

setTranslations(parseTranslations(JSON.parse(document.body.dataset.translations ?? 'null')));

const host = acquireVsCodeApi();

element('free-caches').addEventListener('click', () => host.postMessage({ kind: 'freeCaches' }));
element('unload').addEventListener('click', () => host.postMessage({ kind: 'unload' }));
element('load').addEventListener('click', () => host.postMessage({ kind: 'load' }));
// Only the extension can post to this frame.
window.addEventListener('message', ({ data }: MessageEvent<MessageToMemoryPage>) => {
  if (data.kind === 'page') return render(data.page);
  element('content').hidden = true;
  setText(element('headline'), data.headline);
});
host.postMessage({ kind: 'ready' });

function render(page: MemoryPage): void {
  element('content').hidden = false;
  setText(element('headline'), page.headline);
  setText(element('plot-in-words'), page.plotInWords);
  setText(element('top-label'), page.topLabel);
  setText(element('middle-label'), page.middleLabel);
  setText(element('start-label'), page.startLabel);
  setText(element('halfway-label'), page.halfwayLabel);
  renderPlot(page);
  renderLegend(page);
  renderBreakdown(page.rows);
  renderFacts(page.facts);
  renderActions(page.offers);
}

/** A button that disappears while it has the focus passes the focus to its successor. */
function renderActions(offers: MemoryPage['offers']): void {
  const focused = document.activeElement;
  for (const id of ['free-caches', 'unload']) element(id).hidden = offers !== 'free';
  element('load').hidden = offers !== 'load';
  if (focused instanceof HTMLButtonElement && focused.hidden) element(offers === 'load' ? 'load' : 'unload').focus();
}

function renderPlot({ areas, budgetY }: MemoryPage): void {
  const group = element('areas');
  // The chat model's area goes an hour after it was unloaded.
  while (group.children.length > areas.length) group.lastElementChild?.remove();
  areas.forEach(({ part, path }, index) => {
    const drawn = group.children[index] ?? group.appendChild(document.createElementNS(SVG, 'path'));
    drawn.setAttribute('class', `area ${part}`);
    drawn.setAttribute('d', path);
  });
  const line = element('budget');
  line.toggleAttribute('hidden', budgetY === null);
  for (const name of ['y1', 'y2']) line.setAttribute(name, String(budgetY ?? 0));
}

function renderLegend({ areas, budgetY }: MemoryPage): void {
  const entries = [...areas.map(({ part, label }) => ({ key: part, label }))];
  const all = budgetY === null ? entries : [...entries, { key: 'budget', label: t('Budget') }];
  keepRows(element('legend'), all.length, 'li');
  all.forEach(({ key, label }, index) => {
    const entry = element('legend').children[index];
    if (entry === undefined || entry.getAttribute('class') === key) return;
    entry.setAttribute('class', key);
    setText(entry, label);
  });
}

/** Keeps existing rows, so that the user's selection survives the next update. */
function renderBreakdown(rows: readonly BreakdownRow[]): void {
  const body = element('breakdown');
  keepRows(body, rows.length, 'tr');
  rows.forEach(({ label, value, share }, index) => {
    const [head, bar, amount] = cellsOf(body.children[index], 2);
    if (head === undefined || bar === undefined || amount === undefined) return;
    setText(head, label);
    renderBar(bar, share);
    setText(amount, value);
  });
}

function renderFacts(facts: readonly PageFact[]): void {
  const body = element('facts');
  for (const id of ['facts-heading', 'facts-table']) element(id).hidden = facts.length === 0;
  keepRows(body, facts.length, 'tr');
  facts.forEach(({ label, value }, index) => {
    const [head, cell] = cellsOf(body.children[index], 1);
    if (head === undefined || cell === undefined) return;
    setText(head, label);
    setText(cell, value);
  });
}

/** The head of a row and its other cells, made if need be. */
function cellsOf(row: Element | undefined, count: number): readonly Element[] {
  if (row === undefined) return [];
  if (row.children.length === 0) {
    const head = row.appendChild(document.createElement('th'));
    head.scope = 'row';
    for (let cell = 0; cell < count; cell += 1) row.append(document.createElement('td'));
  }
  return [...row.children];
}

function renderBar(cell: Element, share: number | null): void {
  if (share === null) {
    cell.replaceChildren();
    return;
  }
  if (cell.children.length === 0) {
    const drawing = cell.appendChild(document.createElementNS(SVG, 'svg'));
    drawing.setAttribute('class', 'bar');
    drawing.setAttribute('role', 'img');
    drawing.setAttribute('viewBox', `0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`);
    // Otherwise the bar stands in the middle of its cell, away from the head of its column.
    drawing.setAttribute('preserveAspectRatio', 'none');
    for (const name of ['bar-room', 'bar-filled']) {
      const box = drawing.appendChild(document.createElementNS(SVG, 'rect'));
      box.setAttribute('class', name);
      box.setAttribute('width', String(BAR_WIDTH));
      box.setAttribute('height', String(BAR_HEIGHT));
    }
  }
  cell.firstElementChild?.setAttribute('aria-label', formatPercent(share * 100));
  cell.querySelector('.bar-filled')?.setAttribute('width', String(Math.round(share * BAR_WIDTH)));
}

function keepRows(parent: Element, count: number, tag: string): void {
  while (parent.children.length > count) parent.lastElementChild?.remove();
  while (parent.children.length < count) parent.append(document.createElement(tag));
}

function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element #${id}`);
  return found;
}
