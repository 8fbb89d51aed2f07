import type { ModelCapabilities, RepositoryFile } from '../../../protocol/index.js';

/**
 * One model that Inkling offers for download. Names and sizes were looked up in November 2026. The download takes size and
 * hash from the repository's API, so a file that has changed since is still verified.
 */
export interface CatalogueEntry extends RepositoryFile {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  readonly quantization: string;
  /** As its page says, often rounded to three digits; where none could be read, what its tensors have room for. */
  readonly fileBytes: number;
  /** The size class in the model's name, not a count of its tensors. */
  readonly parameterCount: number;
  readonly activeParameterCount: number;
  /** As a header says it (`ModelWork`). */
  readonly slowPrefill: boolean;
  /** According to its publisher. The download checks them as soon as the header has arrived. */
  readonly capabilities: ModelCapabilities;
  /** Who else names this file. */
  readonly evidence: 'its page lists the file' | 'programs of others download the file';
}

const FIM_ONLY: ModelCapabilities = { fim: true, mtp: false, chat: false };
const FIM_AND_CHAT: ModelCapabilities = { fim: true, mtp: false, chat: true };
const EVERYTHING: ModelCapabilities = { fim: true, mtp: true, chat: true };

const ON_PAGE = 'its page lists the file';
const IN_USE = 'programs of others download the file';

type Dense = Omit<CatalogueEntry, 'parameterCount' | 'activeParameterCount' | 'quantization' | 'slowPrefill'> & {
  readonly billions: number;
  readonly quantization?: string;
  readonly slowPrefill?: boolean;
};

/** Every token uses all parameters. */
function dense({ billions, ...entry }: Dense): CatalogueEntry {
  const parameterCount = billions * 1e9;
  const slowPrefill = entry.architecture !== 'qwen2';
  return { quantization: entry.file, slowPrefill, ...entry, parameterCount, activeParameterCount: parameterCount };
}

type CoderFile = Pick<Dense, 'repository' | 'file' | 'fileBytes' | 'evidence' | 'slowPrefill'>;

function qwenCoder(billions: number, entry: CoderFile) {
  const id = `qwen2.5-coder-${billions}b`;
  const name = `Qwen2.5-Coder ${billions}B`;
  return dense({ id, name, architecture: 'qwen2', billions, capabilities: FIM_ONLY, ...entry });
}

function qwenCoderChat(billions: number, fileBytes: number) {
  return dense({
    id: `qwen2.5-coder-${billions}b-instruct`,
    name: `Qwen2.5-Coder ${billions}B Instruct`,
    repository: `bartowski/Qwen2.5-Coder-${billions}B-Instruct-GGUF`,
    file: 'Q4_K_M',
    fileBytes,
    architecture: 'qwen2',
    billions,
    capabilities: FIM_AND_CHAT,
    evidence: ON_PAGE,
  });
}

export const CATALOGUE: readonly CatalogueEntry[] = [
  qwenCoder(0.5, {
    repository: 'lmstudio-community/Qwen2.5-Coder-0.5B-GGUF',
    file: 'Q4_K_M',
    fileBytes: 398e6,
    // Its rows of 896 weights allow no Q4_K.
    slowPrefill: true,
    evidence: ON_PAGE,
  }),
  qwenCoder(1.5, {
    repository: 'mradermacher/Qwen2.5-Coder-1.5B-GGUF',
    file: 'Q4_K_M',
    fileBytes: 986e6,
    evidence: ON_PAGE,
  }),
  qwenCoder(3, {
    repository: 'bartowski/Qwen2.5-Coder-3B-GGUF',
    file: 'Q4_K_M',
    fileBytes: 1.93e9,
    evidence: IN_USE,
  }),
  qwenCoder(7, {
    repository: 'QuantFactory/Qwen2.5-Coder-7B-GGUF',
    file: 'Q4_K_M',
    fileBytes: 4.68e9,
    evidence: ON_PAGE,
  }),
  qwenCoder(14, {
    repository: 'bartowski/Qwen2.5-Coder-14B-GGUF',
    file: 'Q4_K_M',
    fileBytes: 8.99e9,
    evidence: ON_PAGE,
  }),
  {
    id: 'qwen3-coder-30b-a3b',
    name: 'Qwen3-Coder 30B-A3B Instruct',
    repository: 'unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF',
    file: 'Q4_K_M',
    quantization: 'Q4_K_M',
    fileBytes: 18_556_689_568,
    architecture: 'qwen3moe',
    parameterCount: 30e9,
    activeParameterCount: 3e9,
    slowPrefill: true,
    capabilities: FIM_AND_CHAT,
    evidence: IN_USE,
  },
  qwenCoderChat(1.5, 986e6),
  qwenCoderChat(7, 4.68e9),
  dense({
    id: 'qwen3.5-4b-mtp',
    name: 'Qwen3.5 4B',
    repository: 'unsloth/Qwen3.5-4B-MTP-GGUF',
    file: 'Qwen3.5-4B-Q4_K_M.gguf',
    quantization: 'Q4_K_M',
    fileBytes: 2_834_975_040,
    architecture: 'qwen35',
    billions: 4,
    capabilities: EVERYTHING,
    evidence: IN_USE,
  }),
  dense({
    id: 'qwen3.5-9b-mtp',
    name: 'Qwen3.5 9B',
    repository: 'unsloth/Qwen3.5-9B-MTP-GGUF',
    file: 'Qwen3.5-9B-Q4_K_M.gguf',
    quantization: 'Q4_K_M',
    fileBytes: 5_868_826_976,
    architecture: 'qwen35',
    billions: 9,
    capabilities: EVERYTHING,
    evidence: IN_USE,
  }),
  dense({
    id: 'qwen3.6-27b-mtp',
    name: 'Qwen3.6 27B',
    repository: 'unsloth/Qwen3.6-27B-MTP-GGUF',
    file: 'Qwen3.6-27B-Q4_K_M.gguf',
    quantization: 'Q4_K_M',
    fileBytes: 17_106_773_120,
    architecture: 'qwen35',
    billions: 27,
    capabilities: EVERYTHING,
    evidence: IN_USE,
  }),
  {
    id: 'qwen3.6-35b-a3b-mtp',
    name: 'Qwen3.6 35B-A3B',
    repository: 'unsloth/Qwen3.6-35B-A3B-MTP-GGUF',
    file: 'Qwen3.6-35B-A3B-UD-Q4_K_M.gguf',
    quantization: 'UD-Q4_K_M',
    fileBytes: 22_663_387_424,
    architecture: 'qwen35moe',
    parameterCount: 35e9,
    activeParameterCount: 3e9,
    slowPrefill: true,
    capabilities: EVERYTHING,
    evidence: IN_USE,
  },
  dense({
    id: 'sweep-next-edit-0.5b',
    name: 'Sweep Next-Edit 0.5B',
    repository: 'sweepai/sweep-next-edit-0.5B',
    file: 'sweep-next-edit-0.5b.q8_0.gguf',
    quantization: 'Q8_0',
    slowPrefill: true,
    // 494 million weights of 8.5 bits, and the tokenizer.
    fileBytes: 531e6,
    architecture: 'qwen2',
    billions: 0.5,
    capabilities: FIM_ONLY,
    evidence: IN_USE,
  }),
  dense({
    id: 'sweep-next-edit-1.5b',
    name: 'Sweep Next-Edit 1.5B',
    repository: 'sweepai/sweep-next-edit-1.5B',
    file: 'sweep-next-edit-1.5b.q8_0.v2.gguf',
    quantization: 'Q8_0',
    slowPrefill: true,
    fileBytes: 1_537_269_856,
    architecture: 'qwen2',
    billions: 1.5,
    capabilities: FIM_ONLY,
    evidence: IN_USE,
  }),
];
