import type { ModelCapabilities, RepositoryFile } from '../../protocol/index.js';

/**
 * One model that Inkling offers for download. The entry has no size, hash or exact file name: nobody could verify them
 * when this list was made. The download takes them from the repository's API.
 */
export interface CatalogueEntry extends RepositoryFile {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  /** The size class in the model's name, not a count of its tensors. */
  readonly parameterCount: number;
  readonly activeParameterCount: number;
  /** According to its publisher. The download checks them as soon as the header has arrived. */
  readonly capabilities: ModelCapabilities;
  /** What names this repository besides this list. */
  readonly evidence: 'llama.cpp names the repository in its own presets' | 'public reports name the repository';
}

const FIM_ONLY: ModelCapabilities = { fim: true, mtp: false, chat: false };
const FIM_AND_CHAT: ModelCapabilities = { fim: true, mtp: false, chat: true };
const EVERYTHING: ModelCapabilities = { fim: true, mtp: true, chat: true };

const BY_LLAMA_CPP = 'llama.cpp names the repository in its own presets';
const BY_REPORTS = 'public reports name the repository';

function qwenCoder(billions: string): CatalogueEntry {
  const parameterCount = Number(billions) * 1e9;
  return {
    id: `qwen2.5-coder-${billions}b`,
    name: `Qwen2.5-Coder ${billions}B`,
    repository: `ggml-org/Qwen2.5-Coder-${billions}B-Q8_0-GGUF`,
    quantization: 'Q8_0',
    architecture: 'qwen2',
    parameterCount,
    activeParameterCount: parameterCount,
    capabilities: FIM_ONLY,
    evidence: BY_LLAMA_CPP,
  };
}

export const CATALOGUE: readonly CatalogueEntry[] = [
  qwenCoder('1.5'),
  qwenCoder('3'),
  qwenCoder('7'),
  qwenCoder('14'),
  {
    id: 'qwen3-coder-30b-a3b',
    name: 'Qwen3-Coder 30B-A3B Instruct',
    repository: 'ggml-org/Qwen3-Coder-30B-A3B-Instruct-Q8_0-GGUF',
    quantization: 'Q8_0',
    architecture: 'qwen3moe',
    parameterCount: 30e9,
    activeParameterCount: 3e9,
    capabilities: FIM_AND_CHAT,
    evidence: BY_LLAMA_CPP,
  },
  {
    id: 'qwen3.6-27b-mtp',
    name: 'Qwen3.6 27B',
    repository: 'unsloth/Qwen3.6-27B-MTP-GGUF',
    quantization: 'Q4_K_M',
    architecture: 'qwen35',
    parameterCount: 27e9,
    activeParameterCount: 27e9,
    capabilities: EVERYTHING,
    evidence: BY_REPORTS,
  },
  {
    id: 'qwen3.6-35b-a3b-mtp',
    name: 'Qwen3.6 35B-A3B',
    repository: 'unsloth/Qwen3.6-35B-A3B-MTP-GGUF',
    quantization: 'UD-Q4_K_XL',
    architecture: 'qwen35moe',
    parameterCount: 35e9,
    activeParameterCount: 3e9,
    capabilities: EVERYTHING,
    evidence: BY_REPORTS,
  },
];
