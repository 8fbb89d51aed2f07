import type { Node, Tree } from 'web-tree-sitter';
import type { LexicalSyntax } from './lexical-syntax.js';
import type { ParsedDocument } from './parsed-document.js';
import type { Block, ErrorCounts, Scope, Syntax, TextChange } from './syntax.js';

/** The parse of a changed text shares nearly all of the tree; a slower change is not worth the wait. */
const COMPARISON_LIMIT_MS = 20;

const CODE_IN_STRING = /substitution|interpolation/;
const COMMENT = /comment/;
const STRING = /string|char_literal|character_literal|heredoc_body|^regex$|^raw_text$/;
const BODY = /(?:^|_)(?:block|body|suite|declaration_list|compound_statement|statement_list|accessor_list)$/;
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
    // The character before the cursor decides, since the user typed it last.
    let node = this.#isCurrent() ? this.#tree.rootNode.descendantForIndex(Math.max(0, offset - 1), offset) : null;
    if (node === null) return this.#fallback.scopeAt(offset);
    for (; node !== null; node = node.parent) {
      if (node.isError) return this.#fallback.scopeAt(offset);
      if (CODE_IN_STRING.test(node.type)) return 'code';
      const scope = scopeOfType(node);
      if (scope !== 'code' && isInside(node, scope, offset)) return scope;
    }
    // A line comment ends before its line feed, and a cursor there still writes in the comment.
    const previous = this.#tree.rootNode.descendantForIndex(Math.max(0, offset - 1));
    return previous !== null && COMMENT.test(previous.type) && isInside(previous, 'comment', offset)
      ? 'comment'
      : 'code';
  }

  blockAt(offset: number): Block | null {
    let node = this.#isCurrent() ? this.#tree.rootNode.descendantForIndex(Math.max(0, offset - 1), offset) : null;
    if (node === null) return this.#fallback.blockAt(offset);
    for (; node !== null; node = node.parent) {
      if (node.isError) return this.#fallback.blockAt(offset);
      const block = blockOf(node, offset);
      if (block !== null) return block;
    }
    return null;
  }

  errorsWith(change: TextChange): ErrorCounts | null {
    return this.#isCurrent() ? this.#document.errorsWith(change, COMPARISON_LIMIT_MS) : null;
  }

  /** The tree of an earlier text is freed memory. */
  #isCurrent(): boolean {
    return this.#document.tree === this.#tree;
  }
}

function scopeOfType(node: Node): Scope {
  if (COMMENT.test(node.type)) return 'comment';
  return node.isNamed && STRING.test(node.type) && !CODE_IN_STRING.test(node.type) ? 'string' : 'code';
}

/** A string or block comment ends at the end of its closer; without a closer it includes its end. */
function isInside(node: Node, scope: Scope, offset: number): boolean {
  if (offset <= node.startIndex) return false;
  const closed = scope === 'comment' ? /(?:\*\/|-->)$/.test(node.text) : node.lastChild?.isMissing !== true;
  return closed ? offset < node.endIndex : offset <= node.endIndex;
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
    empty: node.namedChildren.every((child) => child.isExtra),
  };
}
