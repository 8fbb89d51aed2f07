import { t } from '../../../../server/protocol/index.js';
import { escaped, type PageOptions, page } from '../../texts/page-parts.js';
import { LONGEST_TEXT } from './page-message.js';

/** The page of the chat panel. */
export function chatHtml(options: PageOptions): string {
  const model = `<span id="model">${escaped(t('the model'))}</span>`;
  const hint = t('@ attaches context, / runs a command, Enter sends, Shift+Enter adds a line.');
  const body = `<header role="banner">
<h1 class="hidden-text">${escaped(t('Chat with {0}')).replace('{0}', model)}</h1>
<label class="hidden-text" for="conversations">${escaped(t('Conversation'))}</label>
<select id="conversations"></select>
<button id="delete" type="button" class="quiet" title="${escaped(t('Delete conversation'))}" aria-label="${escaped(t('Delete conversation'))}"></button>
</header>
<main>
<div id="transcript" role="region" aria-label="${escaped(t('Conversation'))}" tabindex="0"></div>
<div id="announcement" class="hidden-text" role="status"></div>
<section id="notice" aria-label="${escaped(t('Status'))}" hidden>
<p id="notice-text" role="status"></p>
<button id="action" type="button" hidden></button>
<button id="otherAction" type="button" class="quiet" hidden></button>
</section>
<form id="composer" aria-label="${escaped(t('Question'))}">
<ul id="attachments" class="chips" aria-label="${escaped(t('Attached'))}"></ul>
<div id="menu" role="listbox" aria-label="${escaped(t('Options'))}" hidden></div>
<label class="hidden-text" for="input">${escaped(t('Question'))}</label>
<textarea id="input" rows="3" maxlength="${LONGEST_TEXT}" aria-controls="menu" aria-autocomplete="list" aria-describedby="hint size" placeholder="${escaped(t('Ask about your code'))}"></textarea>
<p id="hint" class="hint">${escaped(hint)}</p>
<div class="row">
<button id="chooseModel" type="button" class="quiet row" title="${escaped(t('Choose another model'))}" hidden><span id="model-name"></span></button>
<span id="size" class="hint"></span>
<meter id="meter" aria-label="${escaped(t('Context used'))}" min="0" max="1" high="0.9" value="0" hidden></meter>
<span class="space"></span>
<label id="think-label" hidden><input id="think" type="checkbox"> ${escaped(t('Reasoning'))}</label>
<div class="row buttons">
<button id="attach" type="button" class="quiet" title="${escaped(t('Attach context, or hold Shift and drop a file on the panel'))}" aria-label="${escaped(t('Attach context'))}"></button>
<button id="cancel" type="button" class="quiet" hidden>${escaped(t('Cancel'))}</button>
<button id="send" type="submit">${escaped(t('Ask'))}</button>
<button id="stop" type="button" hidden>${escaped(t('Stop'))}</button>
</div>
</div>
</form>
</main>`;
  return page(options, { title: t('Inkling Chat'), body });
}
