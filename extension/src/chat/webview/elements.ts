import { type IconName, icon } from './icons.js';

/** Finds an element that the page always has. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element #${id}`);
  return found as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** A button with a picture, whose label shows when it is pointed at. */
export function iconButton(name: IconName, label: string, onClick: () => void): HTMLButtonElement {
  const made = make('button', { type: 'button', className: 'quiet', title: label, onclick: onClick }, [icon(name)]);
  made.setAttribute('aria-label', label);
  return made;
}

export function button(text: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = make('button', { type: 'button', className: 'quiet', textContent: text, onclick: onClick });
  if (label !== text) made.setAttribute('aria-label', label);
  return made;
}

/** Does not write an unchanged live region again, since screen readers would repeat it. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
