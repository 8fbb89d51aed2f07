import type { Node, Tree } from 'web-tree-sitter';
import type { LexicalSyntax } from './lexical/lexical-syntax.js';
import type { ParsedDocument } from './parsed-document.js';
import type { Block, ErrorCounts, NameAt, Scope, Syntax, TextChange } from './syntax.js';
import { NAME_FIELDS, nameOn, type PathNode } from './tree-names.js';

/** The parse of a changed text shares nearly all of the tree; a slower change is not worth the wait. */
const COMPARISON_LIMIT_MS = 20;

const CODE_IN_STRING = /substitution|interpolation/;
const COMMENT = /comment/;
const STRING =
  /string|char_literal|character_literal|rune_literal|heredoc_body|^quoted_attribute_value$|^regex$|^raw_text$/;
const BODY = /(?:^|_)(?:block|body|suite|declaration_list|compound_statement|statement_list|accessor_list)$/;
/** Nobody nests code deeper. */
const MAX_DEPTH = 500;

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Syntax from tree-sitter, without rules for single grammars: their node names are much alike. */
export class TreeSyntax implements Syntax {
  readonly #document: ParsedDocument;
  readonly #tree: Tree;
  readonly #fallback: LexicalSyntax;

  constructor(document: ParsedDocument, tree: Tree, fallback: LexicalSyntax) {
    this.#document = document;
    this.#tree = tree;
    this.#fallback = fallback;
  }

  get languageId(): string {
    return this.#fallback.languageId;
  }

  scopeAt(offset: number): Scope {
    return this.#ask(() => this.#scopeAt(offset)) ?? this.#fallback.scopeAt(offset);
  }

  blockAt(offset: number): Block | null {
    // Null is also an answer, so it is wrapped.
    const found = this.#ask(() => this.#blockAt(offset));
    return found === null ? this.#fallback.blockAt(offset) : found.block;
  }

  nameAt(offset: number): NameAt | 'none' | null {
    return this.#ask(() => {
      const path = pathTo(this.#tree, offset);
      return path === null ? 'none' : nameOn(path);
    });
  }

  errorsWith(change: TextChange): ErrorCounts | null {
    return this.#isCurrent() ? this.#document.errorsWith(change, COMPARISON_LIMIT_MS) : null;
  }

  /** Null where the tree cannot tell. */
  #scopeAt(offset: number): Scope | null {
    const around = nodesAround(this.#tree, offset);
    if (around === null) return null;
    for (const node of around) {
      if (node.isError) return null;
      if (CODE_IN_STRING.test(node.type)) return 'code';
      const scope = scopeOfType(node);
      if (scope !== 'code' && isInside(node, scope, offset)) return scope;
    }
    // A line comment ends before its line feed, and a cursor there still writes in the comment.
    const previous = this.#tree.rootNode.descendantForIndex(Math.max(0, offset - 1));
    if (previous !== null && COMMENT.test(previous.type) && isInside(previous, 'comment', offset)) return 'comment';
    return this.#isInOpenString(offset) ? 'string' : 'code';
  }

  /** A grammar may explain a string without its end as an error, and its words as code. */
  #isInOpenString(offset: number): boolean {
    if (!this.#tree.rootNode.hasError) return false;
    const opening = this.#fallback.openingOfString(offset);
    if (opening === null) return false;
    const node = this.#tree.rootNode.descendantForIndex(opening, opening + 1);
    return node?.parent?.isError === true && STRING.test(node.type);
  }

  #blockAt(offset: number): { readonly block: Block | null } | null {
    const around = nodesAround(this.#tree, offset);
    if (around === null) return null;
    for (const node of around) {
      if (node.isError) return null;
      const block = blockOf(node, offset);
      if (block !== null) return { block };
    }
    return { block: null };
  }

  #ask<T>(question: () => T | null): T | null {
    return this.#isCurrent() ? this.#document.attempt(question) : null;
  }

  /** The tree of an earlier text is freed memory. */
  #isCurrent(): boolean {
    return this.#document.tree === this.#tree;
  }
}

/**
 * The nodes around a place, innermost first. The character before the cursor decides, since the user typed it last. The
 * way goes down from the root once; asking each node for its parent would go down each time.
 *
 * @returns null where they are nested too deeply
 */
function nodesAround({ rootNode }: Tree, offset: number): readonly Node[] | null {
  const innermost = rootNode.descendantForIndex(Math.max(0, offset - 1), offset);
  if (innermost === null) return null;
  const nodes = [rootNode];
  for (let node: Node | null = rootNode; node !== null && !node.equals(innermost); ) {
    if (nodes.length === MAX_DEPTH) return null;
    node = node.childWithDescendant(innermost);
    if (node !== null) nodes.push(node);
  }
  return nodes.reverse();
}

/** The nodes from the root to the one that begins at an offset; null where they are nested too deeply. */
function pathTo({ rootNode }: Tree, offset: number): readonly PathNode[] | null {
  const leaf = rootNode.descendantForIndex(offset, offset + 1);
  if (leaf === null) return null;
  const path = [new TreePathNode(rootNode, null)];
  for (let node: Node | null = rootNode; node !== null && !node.equals(leaf); ) {
    if (path.length === MAX_DEPTH) return null;
    const parent: Node = node;
    node = parent.childWithDescendant(leaf);
    if (node !== null) path.push(new TreePathNode(node, parent));
  }
  return path;
}

class TreePathNode implements PathNode {
  readonly type: string;
  readonly id: number;
  readonly isNamed: boolean;
  readonly #node: Node;
  readonly #parent: Node | null;

  constructor(node: Node, parent: Node | null) {
    this.type = node.type;
    this.id = node.id;
    this.isNamed = node.isNamed;
    this.#node = node;
    this.#parent = parent;
  }

  /** Found only where it is asked for: most names are known by the nodes' types. */
  get field(): string | null {
    return NAME_FIELDS.find((field) => this.#parent?.childForFieldName(field)?.equals(this.#node) === true) ?? null;
  }
}

function scopeOfType(node: Node): Scope {
  if (COMMENT.test(node.type)) return 'comment';
  return node.isNamed && STRING.test(node.type) && !CODE_IN_STRING.test(node.type) ? 'string' : 'code';
}

/** A string or block comment ends at the end of its closer; without a closer it includes its end. */
function isInside(node: Node, scope: Scope, offset: number): boolean {
  if (offset <= node.startIndex) return false;
  const closed = scope === 'comment' ? isClosedComment(node) : isClosedString(node);
  return closed ? offset < node.endIndex : offset <= node.endIndex;
}

/** Rust's comments of documentation include their line feed. */
function isClosedComment({ text }: Node): boolean {
  return text.endsWith('*/') || text.endsWith('-->') || text.endsWith('\n');
}

/** The end of a heredoc may be a node after its body. */
function isClosedString({ type, lastChild }: Node): boolean {
  return type === 'heredoc_body' ? lastChild?.type === 'heredoc_end' : lastChild?.isMissing !== true;
}

function blockOf(node: Node, offset: number): Block | null {
  const opener = node.firstChild;
  const closer = node.lastChild;
  if (opener === null || closer === null || node.childCount < 2 || offset < opener.endIndex) return null;
  if (CLOSERS[opener.type] !== closer.type) return null;
  const open = closer.isMissing;
  if (!open && offset > closer.startIndex) return null;
  return {
    kind: opener.type === '{' && BODY.test(node.type) ? 'body' : 'list',
    start: opener.startIndex,
    end: node.endIndex,
    empty: hasOnlyComments(node),
  };
}

/** Stops at the first child that is no comment, since a node may have very many. */
function hasOnlyComments(node: Node): boolean {
  const cursor = node.walk();
  try {
    for (let more = cursor.gotoFirstChild(); more; more = cursor.gotoNextSibling()) {
      const { isNamed, isExtra } = cursor.currentNode;
      if (isNamed && !isExtra) return false;
    }
    return true;
  } finally {
    cursor.delete();
  }
}
