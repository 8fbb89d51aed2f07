import { join } from 'node:path';
import type { InklingSettings } from '../protocol/index.js';
import type { Devices } from './create-devices.js';
import type { Speeds } from './create-speeds.js';
import { EstimateProcess } from './engine/addon/estimate-process.js';
import type { EngineHost } from './engine/lifecycle/engine-host.js';
import type { LoadRequest } from './engine/port/engine.js';
import type { PlanLoad, Substitute } from './engine/port/plan-load.js';
import { heldMemory } from './memory/held-memory.js';
import { ChatModelFiles } from './models/chat-model-files.js';
import type { Machine } from './models/discovery/this-machine.js';
import { ModelLibrary } from './models/model-library.js';
import { LoadPlanner } from './models/planning/load-planner.js';
import { loadRequest } from './models/planning/load-request.js';
import { PromptRoom } from './models/planning/prompt-room.js';
import { CrashedModels } from './models/safety/crashed-models.js';
import { ExaminedFiles } from './models/safety/examined-files.js';
import type { ServerOptions } from './server-options.js';
import { JsonFile } from './util/files/json-file.js';
import type { Log } from './util/log.js';

/** Decides what is loaded, and how: from the settings, the files, the memory and the devices. Loads nothing. */
export interface Planning {
  readonly models: ModelLibrary;
  readonly chatFiles: ChatModelFiles;
  readonly crashed: CrashedModels;
  readonly room: PromptRoom;
  /** What the settings ask for. */
  wanted(): LoadRequest;
  /** For a model that completes, on this machine. */
  readonly plan: PlanLoad;
  /** For a model for chat alone. */
  readonly planChat: PlanLoad;
  readonly substitute: Substitute;
  dispose(): void;
}

/** @param hosts of the models that give way; the second one is of the model for chat alone */
export function createPlanning(
  options: ServerOptions,
  settings: () => InklingSettings,
  machine: Machine,
  parts: {
    readonly devices: Devices;
    readonly speeds: Speeds;
    readonly hosts: () => readonly [EngineHost, EngineHost];
  },
  log: Log,
): Planning {
  const { program, environment, starterModelPath, stateDirectory } = options;
  const { devices, speeds, hosts } = parts;
  const { threads, unifiedMemory, memoryBytes: machineBytes } = machine;
  const hostOf = (index: 0 | 1): EngineHost => hosts()[index];
  const estimates = new EstimateProcess({ program, environment, log });
  const crashed = new CrashedModels({ stateDirectory, starterModelPath, log });
  const examinedFile = new JsonFile(stateDirectory && join(stateDirectory, 'examined-models.json'), log);
  const examined = new ExaminedFiles(examinedFile, options.version);
  const room = new PromptRoom({ speeds: speeds.prefill, unifiedMemory, threads });
  const wanted = () => loadRequest(settings(), starterModelPath, (path) => room.of(path));
  const planner = (index: 0 | 1): LoadPlanner =>
    new LoadPlanner({
      estimateMemory: estimates.estimate,
      examined,
      starterModelPath,
      machineBytes,
      unifiedMemory,
      held: () => heldMemory(hostOf(index).client.memory(), devices.hasOwnMemory),
      availableBytes: () => process.availableMemory(),
      slots: index === 0 ? 2 : 1,
    });
  const places = (index: 0 | 1) =>
    devices.planner({
      estimateMemory: estimates.estimate,
      weightsBytes: async (path) => (await models.header(path).catch(() => null))?.tensorBytes ?? null,
      held: (id) => heldOn(hostOf(index), id),
      chats: index === 0,
    });
  const [modelPlaces, chatPlaces] = [places(0), places(1)];
  const models = new ModelLibrary({
    starterModelPath,
    machine,
    backend: () => backendOf(hostOf(0)),
    usedThreads: () => threadsOf(hostOf(0)),
    isIntegrated: () =>
      hostOf(0)
        .client.memory()
        ?.devices.some(({ name }) => devices.isIntegrated(name)) ?? false,
    loadRequest: wanted,
    planner: planner(0),
    places: {
      place: (requested, attempt, fits) => modelPlaces.place(requested, attempt, fits),
      addedBytes: (requested, neededBytes) => devices.addedBytes(requested, neededBytes),
    },
    prefillSpeeds: speeds.prefill,
    decodeSpeeds: speeds.decode,
  });
  const chatFiles = new ChatModelFiles({
    header: (path) => models.header(path),
    onDevices: (plan) => chatPlaces.around(plan),
    planner: planner(1),
    loadRequest: wanted,
    machineBytes,
  });
  const unlessCrashed = (plan: PlanLoad): PlanLoad => {
    return async (requested) => {
      const error = await crashed.refusal(requested.path);
      return error === null ? plan(requested) : { kind: 'refused', error };
    };
  };
  return {
    models,
    chatFiles,
    crashed,
    room,
    wanted,
    plan: unlessCrashed(modelPlaces.around((requested) => models.plan(requested))),
    planChat: unlessCrashed(chatPlaces.around((requested) => chatFiles.plan(requested))),
    substitute: (requested, { code }) => {
      if (code === 'modelCrashed') return { ...requested, path: starterModelPath };
      return devices.takeNewFailure(requested) ? requested : null;
    },
    dispose: () => {
      crashed.dispose();
      estimates.dispose();
    },
  };
}

/** What a host's model holds on a device, in bytes. */
function heldOn({ client }: EngineHost, id: string): number {
  const held = client.memory()?.devices.find(({ name }) => name === id);
  return held === undefined ? 0 : held.weightsBytes + held.contextBytes + held.computeBytes;
}

/** Null for a model that is not loaded, or not on this machine. */
function backendOf({ client: { facts } }: EngineHost): string | null {
  return facts?.kind === 'local' ? facts.backend : null;
}

function threadsOf({ client: { facts } }: EngineHost): number | null {
  return facts?.kind === 'local' ? facts.threads : null;
}
