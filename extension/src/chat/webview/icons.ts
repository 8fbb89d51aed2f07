/** Lines on a grid of 16 by 16, like the editor's own icons. The page may load no font, so it draws them. */
const LINES = {
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  insert: 'M2.5 3v10M13.5 8h-8M8.5 5l-3 3 3 3',
  apply: 'M2.5 8.5L6 12l7.5-8',
  newFile: 'M9 1.5H3.5v13h9V5zM9 1.5V5h3.5M8 7.5v4M6 9.5h4',
  edit: 'M2.5 13.5l.8-3L11 2.8 13.2 5l-7.7 7.7z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 1.5v3h-3',
  delete: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9',
  attach: 'M12.5 7.5l-5 5a2.5 2.5 0 0 1-3.6-3.6l5.8-5.8a1.7 1.7 0 0 1 2.4 2.4l-5.6 5.6a.8.8 0 0 1-1.2-1.2l4.8-4.8',
  choose: 'M4 6.5l4 4 4-4',
} as const;

export type IconName = keyof typeof LINES;

/** A picture for a control, which has a name of its own. */
export function icon(name: IconName): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  const attributes = {
    viewBox: '0 0 16 16',
    class: 'icon',
    fill: 'none',
    stroke: 'currentColor',
    'aria-hidden': 'true',
  };
  for (const [attribute, value] of Object.entries(attributes)) picture.setAttribute(attribute, value);
  const line = document.createElementNS(space, 'path');
  line.setAttribute('d', LINES[name]);
  picture.append(line);
  return picture;
}
