import type { NativeKeyVectors } from '../../server/src/engine/addon/addon-types.js';

export interface KeyNorms {
  readonly mean: number;
  readonly least: number;
  readonly most: number;
}

/** Of each layer's heads: how long the key vectors of the tokens are. */
export function keyNorms({
  layers,
  heads,
  tokens,
  headDim,
  values,
}: NativeKeyVectors): readonly (readonly KeyNorms[])[] {
  return layers.map((_, layer) =>
    Array.from({ length: heads }, (_, head) => {
      const norms = Array.from({ length: tokens }, (_, token) => {
        const start = ((layer * heads + head) * tokens + token) * headDim;
        return Math.hypot(...values.subarray(start, start + headDim));
      });
      const mean = norms.reduce((sum, norm) => sum + norm, 0) / tokens;
      return { mean, least: Math.min(...norms), most: Math.max(...norms) };
    }),
  );
}

/** A row for each layer, a column for each head. */
export function describeKeys(keys: NativeKeyVectors): string {
  const { layers, heads, tokens, headDim } = keys;
  const rows = keyNorms(keys).map((norms, index) => [
    String(layers[index]),
    ...norms.map(({ mean }) => mean.toFixed(2)),
    Math.min(...norms.map(({ least }) => least)).toFixed(2),
    Math.max(...norms.map(({ most }) => most)).toFixed(2),
  ]);
  const header = ['layer', ...Array.from({ length: heads }, (_, head) => `head ${head}`), 'least', 'most'];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ');
  return [
    `Norms of the keys of ${tokens} tokens, ${headDim} dimensions each: means by layer and head, and the layer's range`,
    ...[header, ...rows].map(line),
  ].join('\n');
}
