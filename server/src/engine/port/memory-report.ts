/** Memory that can be given back while the model stays loaded. The engine makes it again when it needs it. */
export type Releasable = (typeof RELEASE_ORDER)[number];

/** In the order in which memory is given back: the cheapest to make again comes first. */
export const RELEASE_ORDER = ['checkpoints', 'swapped', 'chat', 'completion'] as const;

/** What a slot holds, in bytes; zero while it does not exist. */
export interface SlotMemory {
  /** Key and value caches of the model and its MTP block. */
  readonly kvBytes: number;
  /** Recurrent state with its snapshots. */
  readonly recurrentBytes: number;
  readonly computeBytes: number;
  /** What llama.cpp builds and keeps its compute graphs in. */
  readonly graphBytes: number;
  /** Logits and hidden states. */
  readonly outputBytes: number;
}

/** What lies in the memory of one device, in bytes. */
export interface DeviceMemory {
  /** The engine's name of it, such as `CPU` or `Vulkan0`. */
  readonly name: string;
  /** As its driver says, such as `NVIDIA GeForce RTX 3060`. */
  readonly description: string;
  readonly weightsBytes: number;
  /** Key and value caches, and recurrent state. */
  readonly contextBytes: number;
  readonly computeBytes: number;
  /** The memory that the device has; on Metal the recommended working set. */
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** What a loaded model holds, in bytes. The parts that slots have are the sums over both slots. */
export interface MemoryReport extends SlotMemory {
  /** The sum of all parts. */
  readonly totalBytes: number;
  /** Without the MTP block. */
  readonly weightsBytes: number;
  readonly mtpWeightsBytes: number;
  readonly vocabularyBytes: number;
  /** Copies of recurrent state in host memory. */
  readonly checkpointBytes: number;
  /** Swapped-out prompts, in host memory. */
  readonly swappedBytes: number;
  readonly completion: SlotMemory;
  readonly chat: SlotMemory;
  /** The processor, whose memory is the machine's, then each GPU that holds something. */
  readonly devices: readonly DeviceMemory[];
  /** The memory of the first device that holds the model: a GPU, or the machine. */
  readonly deviceTotalBytes: number;
  readonly deviceFreeBytes: number;
  /** What the server of another window holds of the model, and counts; 0 for a model of this process. */
  readonly elsewhereBytes: number;
  readonly processRssBytes: number;
  readonly peakRssBytes: number;
}

/** What a load would take, in bytes: the completion slot, no checkpoints, no swapped-out prompts. */
export interface MemoryEstimate {
  /** With what the first requests add; a load compares it with its limit. */
  readonly neededBytes: number;
  /** The chat slot, once it is in use; not part of the above. */
  readonly chatSlotBytes: number;
  /** The parts of the weights, and of each slot, that lie in the memory of a GPU. */
  readonly deviceWeightsBytes: number;
  readonly deviceCompletionBytes: number;
  readonly deviceChatBytes: number;
  /** The free memory of the GPU that the options name, now; 0 where they name none. */
  readonly deviceFreeBytes: number;
  readonly layerCount: number;
  /** What the checkpoints of each slot, and all swapped-out prompts, may hold in addition. */
  readonly checkpointBudgetBytes: number;
  readonly swapBudgetBytes: number;
  /** What each token of context adds. */
  readonly bytesPerToken: number;
  /** What this machine has to spare now; 0 where it does not say. */
  readonly availableBytes: number;
}
