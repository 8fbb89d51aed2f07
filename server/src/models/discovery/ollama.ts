import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ifReadable } from '../../util/if-readable.js';
import { filesBelow, type ScanLimits } from './scan-folder.js';

export interface OllamaModel {
  /** Ollama's name, such as `qwen2.5-coder:7b`. */
  readonly name: string;
  /** The blob that contains the GGUF. */
  readonly path: string;
}

const MODEL_LAYER = 'application/vnd.ollama.image.model';
const DEFAULT_REGISTRY = join('registry.ollama.ai', 'library');

/** A manifest lies below its registry, namespace and model. */
const LIMITS: ScanLimits = { maxDepth: 4, maxEntries: 4_000 };
const MAX_MANIFEST_BYTES = 2 ** 20;

/** The models in an Ollama folder, by its manifests. Skips damaged ones, and those without a file. */
export async function ollamaModels(
  root: string,
  signal: AbortSignal,
  limits = LIMITS,
): Promise<readonly OllamaModel[]> {
  const manifests = join(root, 'manifests');
  const models: OllamaModel[] = [];
  const { paths } = await filesBelow(manifests, () => true, signal, limits);
  for (const manifest of paths) {
    if (signal.aborted) break;
    const digest = await modelDigest(manifest);
    if (digest === null) continue;
    const path = join(root, 'blobs', digest.replace(':', '-'));
    if ((await ifReadable(stat(path)))?.isFile())
      models.push({ name: displayName(relative(manifests, manifest)), path });
  }
  return models;
}

/** Converts `registry.ollama.ai/library/qwen2.5-coder/7b` to `qwen2.5-coder:7b`. */
function displayName(manifest: string): string {
  const short = manifest.startsWith(DEFAULT_REGISTRY + sep) ? manifest.slice(DEFAULT_REGISTRY.length + 1) : manifest;
  const parts = short.split(sep);
  return `${parts.slice(0, -1).join('/')}:${parts.at(-1)}`;
}

async function modelDigest(manifest: string): Promise<string | null> {
  const status = await ifReadable(stat(manifest));
  if (status === null || status.size > MAX_MANIFEST_BYTES) return null;
  const content = parse(await ifReadable(readFile(manifest, 'utf8')));
  const layers = typeof content === 'object' && content !== null && 'layers' in content ? content.layers : null;
  if (!Array.isArray(layers)) return null;
  const models: unknown[] = layers.filter((layer: unknown) => isLayer(layer) && layer.mediaType === MODEL_LAYER);
  const [layer] = models;
  // The engine cannot open a model of several files by one path.
  return models.length === 1 && isLayer(layer) && /^sha256:[0-9a-f]{64}$/.test(layer.digest) ? layer.digest : null;
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isLayer(value: unknown): value is { readonly mediaType: string; readonly digest: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'mediaType' in value &&
    typeof value.mediaType === 'string' &&
    'digest' in value &&
    typeof value.digest === 'string'
  );
}
