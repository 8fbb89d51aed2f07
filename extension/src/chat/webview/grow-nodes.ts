const TEXT_NODE = 3;

/**
 * Makes nodes that are shown like others, and leaves alone what is the same already: a selection within it, the focus and
 * the place that a block is scrolled to survive while an answer grows.
 *
 * @param shown the last children of `parent`
 * @param wanted stand in no page; what is new of them moves there
 * @returns what stands in the page now, one node for each wanted one
 */
export function growNodes(parent: Node, shown: readonly ChildNode[], wanted: readonly ChildNode[]): ChildNode[] {
  for (const node of shown.slice(wanted.length)) node.remove();
  return wanted.map((node, index) => {
    const before = shown[index];
    if (before === undefined) parent.appendChild(node);
    else if (growNode(before, node)) return before;
    else before.replaceWith(node);
    return node;
  });
}

/** Changes the characters from the first different one. */
export function growText(shown: CharacterData, text: string): void {
  const { data } = shown;
  let same = text.startsWith(data) ? data.length : 0;
  while (same < data.length && data[same] === text[same]) same++;
  if (same < data.length || same < text.length) shown.replaceData(same, data.length - same, text.slice(same));
}

/** @returns false where only another node will do */
function growNode(shown: ChildNode, wanted: ChildNode): boolean {
  if (shown.nodeName !== wanted.nodeName) return false;
  if (shown.nodeType === TEXT_NODE) {
    growText(shown as Text, (wanted as Text).data);
    return true;
  }
  if (!haveSameAttributes(shown as unknown as Element, wanted as unknown as Element)) return false;
  growNodes(shown, [...shown.childNodes], [...wanted.childNodes]);
  return true;
}

function haveSameAttributes(one: Element, other: Element): boolean {
  const attributes = [...one.attributes];
  if (attributes.length !== other.attributes.length) return false;
  return attributes.every(({ name, value }) => other.getAttribute(name) === value);
}
