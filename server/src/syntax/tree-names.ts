import type { NameAt } from './syntax.js';

/** A node on the way from the root to a name. */
export interface PathNode {
  readonly type: string;
  /** Which of `NAME_FIELDS` it is in the node above; null for any other. */
  readonly field: string | null;
  readonly id: number;
  readonly isNamed: boolean;
}

const NAME = /identifier|^(?:constant|word|name|variable_name|field_name|property_name)$/;
const MEMBER = /property_identifier$|^field_identifier$|^statement_identifier$|^hash_key_symbol$/;
const TEXT = /comment|string|char_literal|character_literal|heredoc_body|^regex$|^raw_text$/;
const CODE_IN_TEXT = /substitution|interpolation/;

const FUNCTION = new RegExp(
  `^(?:${[
    '(?:generator_)?function(?:_(?:declaration|definition|expression|item|signature|signature_item))?',
    'arrow_function|lambda(?:_expression|_literal)?|closure_expression|func_literal|local_function_statement',
    '(?:singleton_)?method|method_(?:definition|declaration|signature)|constructor_declaration|do_block',
    'anonymous_function(?:_creation_expression)?|call_signature|construct_signature|function_type',
  ].join('|')})$`,
);
const BLOCK =
  /^(?:statement_block|block|compound_statement|catch_clause|switch_body|switch_block|class_static_block|match_arm|for_.*|enhanced_for_statement|foreach_statement|type_alias_declaration)$/;
const CLASS = /^(?:class_body|class_definition|interface_body|object_type|field_declaration_list|enum_body|class)$/;
/** In an expression such as Python's list comprehension. */
const COMPREHENSION = /comprehension$|^generator_expression$/;
/** Python's blocks are no scopes. */
const BLOCKLESS = /^module$/;

/** An expression that may have a name of its own. */
const NAMED_EXPRESSION = /^(?:function|function_expression|generator_function|class)$/;
/** Nodes between a name and what declares it. */
const PATTERN =
  /_pattern$|^pattern_list$|^(?:pointer|reference|array|parenthesized|init|function)_declarator$|^expression_list$|^typed_parameter$|_splat_pattern$|^as_pattern_target$|^dotted_name$/;
const DECLARING_FIELDS = ['name', 'pattern', 'declarator', 'left', 'parameter', 'alias', 'property'] as const;
/** The fields that decide what a name is. */
export const NAME_FIELDS = [...DECLARING_FIELDS, 'value', 'type', 'right', 'key'] as const;
const DECLARING =
  /declarat|definition|_item$|_spec$|_signature$|_specifier$|parameter|^(?:class|function|generator_function|function_expression|arrow_function|module|method|named_expression|internal_module|assignment|for_statement|for_in_statement|for_in_clause|for_expression|short_var_declaration|range_clause|catch_clause|as_pattern|namespace_import|import_clause|aliased_import|import_from_statement|import_statement|let_declaration)$/;
const PARAMETERS = /^(?:formal_parameters|parameters|lambda_parameters|closure_parameters)$/;
const IMPORT = /^(?:import_|use_declaration|preproc_include)/;
/** What an assignment or `var` declares is known in the whole function. */
const OF_FUNCTION = /^(?:variable_declaration|assignment)$/;

/**
 * What the name at the end of a path is. Like the rest of the syntax it has no rules for single grammars: their node
 * names are much alike. So it can be wrong, and serves only what a person looks at.
 */
export function nameOn(path: readonly PathNode[]): NameAt | 'none' {
  const leaf = path.at(-1);
  if (leaf === undefined || !leaf.isNamed || !NAME.test(leaf.type) || isText(path)) return 'none';
  const declaring = declaringIndex(path);
  const inScopes = scopesOf(path, path.length);
  const classAround = path.findLast(({ type }, index) => index < path.length - 1 && CLASS.test(type));
  return {
    as: kindOf(path),
    scopes: inScopes.map(({ id }) => id),
    declaredIn: declaring === null ? null : (declaredIn(path, declaring)?.id ?? null),
    inClass: classAround?.id ?? null,
    isImport: path.some(({ type }) => IMPORT.test(type)),
  };
}

function isText(path: readonly PathNode[]): boolean {
  const text = path.findLastIndex(({ type, isNamed }) => isNamed && TEXT.test(type) && !CODE_IN_TEXT.test(type));
  return text >= 0 && text > path.findLastIndex(({ type }) => CODE_IN_TEXT.test(type));
}

function kindOf(path: readonly PathNode[]): NameAt['as'] {
  const [parent, leaf] = path.slice(-2);
  if (leaf === undefined || parent === undefined) return 'variable';
  if (leaf.type === 'shorthand_property_identifier' || parent.type === 'shorthand_field_initializer')
    return 'shorthand';
  if (leaf.type === 'shorthand_property_identifier_pattern') return 'variable';
  if (MEMBER.test(leaf.type)) return 'member';
  if (leaf.field === 'name' && /^(?:keyword_argument|argument|named_argument)$/.test(parent.type)) return 'member';
  // Go's keys are fields more often than they are values.
  if (parent.type === 'literal_element' && parent.field === 'key') return 'member';
  return leaf.type === 'type_identifier' ? 'type' : 'variable';
}

/** The scopes around the node at an index, the innermost first. */
function scopesOf(path: readonly PathNode[], index: number): readonly PathNode[] {
  const blockless = BLOCKLESS.test(path[0]?.type ?? '');
  const isScope = ({ type }: PathNode, at: number) =>
    at === 0 || FUNCTION.test(type) || CLASS.test(type) || COMPREHENSION.test(type) || (!blockless && BLOCK.test(type));
  const scopes = path.slice(0, index).filter(isScope).reverse();
  // In Python a class is known to what stands directly in it, and not to its methods.
  return blockless ? scopes.filter(({ type }, at) => at === 0 || !CLASS.test(type)) : scopes;
}

/** Index of the node that declares the name; null where it is only used. */
function declaringIndex(path: readonly PathNode[]): number | null {
  for (let at = path.length - 1; at > 0; at--) {
    const parent = path[at - 1]?.type ?? '';
    const isPattern = PATTERN.test(parent);
    if (!isPattern && !DECLARING.test(parent)) return null;
    const field = path[at]?.field ?? null;
    if (field === null) {
      if (PARAMETERS.test(parent) || parent === 'import_clause' || parent === 'namespace_import') return at - 1;
      if (!isPattern) return null;
    } else if (isDeclaring(field)) {
      if (!isPattern) return at - 1;
    } else if (field !== 'value' || parent !== 'pair_pattern') return null;
  }
  return null;
}

function isDeclaring(field: string): boolean {
  return DECLARING_FIELDS.some((each) => each === field);
}

/**
 * The scope that a declaration at an index belongs to: the one around it, for the name of a function or class too. The
 * name of an expression is known in that expression only.
 */
function declaredIn(path: readonly PathNode[], index: number): PathNode | null {
  const node = path[index];
  if (node === undefined) return null;
  const isParameter = PARAMETERS.test(node.type) || /parameter|^catch_clause$|^arrow_function$/.test(node.type);
  const isInside = isParameter || /^for_/.test(node.type) || NAMED_EXPRESSION.test(node.type);
  const scopes = scopesOf(path, isInside ? index + 1 : index);
  const ofFunction = OF_FUNCTION.test(node.type) || OF_FUNCTION.test(path[index - 1]?.type ?? '');
  if (!ofFunction) return scopes[0] ?? null;
  return scopes.find((scope) => scope === path[0] || FUNCTION.test(scope.type)) ?? null;
}
