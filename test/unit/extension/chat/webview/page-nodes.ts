/** The part of the browser's nodes that the page's scripts use, in memory. A text knows which of its characters were written. */
export class PageText {
  readonly nodeName = '#text';
  readonly nodeType = 3;
  readonly childNodes = [];
  parent: PageElement | null = null;
  data: string;
  /** How many characters stand unchanged from the beginning. */
  untouched: number;

  constructor(data: string) {
    this.data = data;
    this.untouched = data.length;
  }

  replaceData(offset: number, count: number, by: string): void {
    this.untouched = Math.min(this.untouched, offset);
    this.data = this.data.slice(0, offset) + by + this.data.slice(offset + count);
  }

  remove(): void {
    this.parent?.take(this);
  }

  replaceWith(node: PageNode): void {
    this.parent?.put(this, node);
  }
}

export class PageElement {
  readonly nodeName: string;
  readonly nodeType = 1;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  parent: PageElement | null = null;
  childNodes: readonly PageNode[] = [];

  constructor(name: string, attributes: Readonly<Record<string, string>>, ...children: readonly (PageNode | string)[]) {
    this.nodeName = name;
    this.attributes = Object.entries(attributes).map(([key, value]) => ({ name: key, value }));
    for (const child of children) this.appendChild(typeof child === 'string' ? new PageText(child) : child);
  }

  getAttribute(name: string): string | null {
    return this.attributes.find((attribute) => attribute.name === name)?.value ?? null;
  }

  appendChild(node: PageNode): void {
    node.parent?.take(node);
    node.parent = this;
    this.childNodes = [...this.childNodes, node];
  }

  take(node: PageNode): void {
    this.childNodes = this.childNodes.filter((child) => child !== node);
    node.parent = null;
  }

  put(before: PageNode, node: PageNode): void {
    node.parent?.take(node);
    this.childNodes = this.childNodes.map((child) => (child === before ? node : child));
    [before.parent, node.parent] = [null, this];
  }

  remove(): void {
    this.parent?.take(this);
  }

  replaceWith(node: PageNode): void {
    this.parent?.put(this, node);
  }

  get html(): string {
    const attributes = this.attributes.map(({ name, value }) => ` ${name}="${value}"`).join('');
    const inner = this.childNodes.map((child) => (child instanceof PageText ? child.data : child.html)).join('');
    return `<${this.nodeName}${attributes}>${inner}</${this.nodeName}>`;
  }
}

export type PageNode = PageText | PageElement;
