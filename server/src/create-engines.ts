import { cpus } from 'node:os';
import { join } from 'node:path';
import type { InklingSettings } from '../protocol/index.js';
import { ChatEngines } from './chat/chat-engines.js';
import { createDevices } from './create-devices.js';
import { openLocalEngines } from './engine/addon-engine-factory.js';
import { whenDeviceIsLost, whenWorkIsDone } from './engine/device-loss.js';
import { AUTOMATIC, chooseDevices, type DeviceChoice, PROCESSOR } from './engine/devices/choose-device.js';
import { onDevices } from './engine/devices/device-plan.js';
import type { GpuDevice } from './engine/devices/gpu-device.js';
import type { LoadRequest } from './engine/engine.js';
import { createEngineHost, type EngineHost } from './engine/engine-host.js';
import { EstimateProcess } from './engine/estimate-process.js';
import { FirstMeasurement } from './engine/first-measurement.js';
import { decodeSpeed, prefillSpeed } from './engine/generation-speed.js';
import { GpuLosses } from './engine/gpu-losses.js';
import { endHungLoads } from './engine/hung-loads.js';
import { MeasuredSpeeds } from './engine/measured-speeds.js';
import type { PlanLoad, Substitute } from './engine/plan-load.js';
import { createEngineFactory } from './engine/remote/engine-factory.js';
import { Reconnector } from './engine/remote/reconnector.js';
import { remoteRequest } from './engine/remote/remote-target.js';
import { SharedModels } from './engine/shared/shared-models.js';
import { heldMemory } from './memory/held-memory.js';
import { MemoryMonitor } from './memory/memory-monitor.js';
import { readOnBattery, readPressure } from './memory/system-memory.js';
import { WindowRegistry } from './memory/window-registry.js';
import { ChatModelFiles } from './models/chat-model-files.js';
import { ContextGrowth } from './models/context-growth.js';
import { CrashedModels } from './models/crashed-models.js';
import { ExaminedFiles } from './models/examined-files.js';
import { LoadPlanner } from './models/load-planner.js';
import { chatLoadRequest, loadRequest } from './models/load-request.js';
import { ampleBytes } from './models/memory-need.js';
import { ModelLibrary } from './models/model-library.js';
import { PromptRoom } from './models/prompt-room.js';
import { thisMachine } from './models/this-machine.js';
import type { ServerOptions } from './server-options.js';
import { collectGarbage } from './util/collect-garbage.js';
import { JsonFile } from './util/json-file.js';
import type { Log } from './util/log.js';

/** The engines of suggestions and of chat, with all that decides which models they have. */
export interface Engines {
  readonly host: EngineHost;
  /** Of the model for chat alone; empty where there is none. */
  readonly chatHost: EngineHost;
  readonly chatEngines: ChatEngines;
  readonly models: ModelLibrary;
  readonly chatFiles: ChatModelFiles;
  readonly monitor: MemoryMonitor;
  readonly crashed: CrashedModels;
  settingsChanged(settings: InklingSettings): void;
  /** By the user's command: loads what is unloaded, and what was refused because it ended a server or its GPU failed. */
  load(): Promise<void>;
  /** The client's process: this one does not outlive it for long, whatever happens here. */
  followClient(processId: number): void;
  close(): Promise<void>;
}

/**
 * Loads the addon now, and a model with the first settings.
 * @param endBroken ends this process, whose engine hangs; the client starts another one
 */
export function createEngines(
  options: ServerOptions,
  settings: () => InklingSettings,
  log: Log,
  endBroken: () => void,
): Engines {
  const { program, environment, starterModelPath, stateDirectory } = options;
  const machine = thisMachine(environment);
  const estimates = new EstimateProcess({ program, environment, log });
  const processor = cpus()[0]?.model ?? '';
  const prefillFile = new JsonFile(stateDirectory && join(stateDirectory, 'prefill-speeds.json'), log);
  const decodeFile = new JsonFile(stateDirectory && join(stateDirectory, 'decode-speeds.json'), log);
  const prefillSpeeds = new MeasuredSpeeds(prefillFile, processor, prefillSpeed);
  const decodeSpeeds = new MeasuredSpeeds(decodeFile, processor, decodeSpeed);
  const { threads, unifiedMemory } = machine;
  const room = new PromptRoom({ speeds: prefillSpeeds, unifiedMemory, threads });
  const wanted = () => loadRequest(settings(), starterModelPath, (path) => room.of(path));
  const crashed = new CrashedModels({ stateDirectory, starterModelPath, log });
  const gpuLosses = new GpuLosses(new JsonFile(stateDirectory && join(stateDirectory, 'gpu.json'), log));
  const examinedFile = new JsonFile(stateDirectory && join(stateDirectory, 'examined-models.json'), log);
  const examined = new ExaminedFiles(examinedFile, options.version);
  const planner = (of: () => EngineHost, slots: 1 | 2) =>
    new LoadPlanner({
      estimateMemory: estimates.estimate,
      examined,
      starterModelPath,
      machineBytes: machine.memoryBytes,
      held: () => heldMemory(of().client.memory()),
      availableBytes: () => process.availableMemory(),
      slots,
    });
  const models = new ModelLibrary({
    starterModelPath,
    machine,
    backend: () => backendOf(host),
    isIntegrated: () => isIntegrated(host, devices.devices ?? []),
    loadRequest: wanted,
    planner: planner(() => host, 2),
    prefillSpeeds,
    decodeSpeeds,
  });
  const chatFiles = new ChatModelFiles({
    header: (path) => models.header(path),
    planner: planner(() => chatHost, 1),
    loadRequest: wanted,
    machineBytes: machine.memoryBytes,
  });
  const { create: createLocalEngine, watchdog } = openLocalEngines({
    nativeDirectory: options.nativeDirectory,
    environment,
    duringLoad: endHungLoads({ crashed, log, end: endBroken }),
    duringDeviceLoad: endHungLoads({ crashed: gpuLosses, log, end: endBroken }),
    readCard: (path) => models.card(path),
    log,
  });
  const devices = createDevices(options, log);
  const onDevicesOf = (planFile: PlanLoad, of: () => EngineHost, chats: boolean): PlanLoad =>
    onDevices(planFile, {
      devices: () => devices.devices,
      estimateMemory: estimates.estimate,
      mostBytes: async (requested) => {
        // A file that cannot be read is refused by the plan.
        const header = await models.header(requested.path).catch(() => null);
        return header && ampleBytes(header, requested);
      },
      held: (id) => heldOn(of(), id),
      chats,
      log,
    });
  let isDeviceLost = false;
  const deviceLost = (): void => {
    if (isDeviceLost) return;
    isDeviceLost = true;
    gpuLosses.add();
    log.error('The GPU failed twice in a row. The server ends, so that a new process can use it.');
    endBroken();
  };
  const { version } = options;
  const shared = new SharedModels({
    environment,
    version,
    placeOf: ({ deviceSetting = AUTOMATIC }) => placeName(chooseDevices(deviceSetting, devices.devices ?? [])),
    createEngine: createLocalEngine,
    onDeviceLost: deviceLost,
    log,
  });
  const createEngine = createEngineFactory((asked) => shared.engineFor(asked), environment, log);
  const unlessCrashed = (planFile: PlanLoad): PlanLoad => {
    return async (requested) => {
      const error = await crashed.refusal(requested.path);
      return error === null ? planFile(requested) : { kind: 'refused', error };
    };
  };
  const planLocal = (planFile: PlanLoad, of: () => EngineHost, chats: boolean): PlanLoad =>
    shared.around(unlessCrashed(gpuLosses.around(onDevicesOf(planFile, of, chats))));
  const planModel = planLocal(
    (requested) => models.plan(requested),
    () => host,
    true,
  );
  const plan: PlanLoad = async (requested) =>
    requested.remote === undefined ? planModel(requested) : { kind: 'fits', options: requested };
  const starterInstead: Substitute = (requested, { code }) =>
    code === 'modelCrashed' ? { ...requested, path: starterModelPath } : null;
  const host = createEngineHost(
    createEngine,
    log,
    plan,
    (requested, refusal) => chatEngines.makeRoom(requested, refusal),
    starterInstead,
    prefillSpeeds,
  );
  const chatHost = createEngineHost(
    (asked) => shared.engineFor(asked),
    log,
    planLocal(
      (requested) => chatFiles.plan(requested),
      () => chatHost,
      false,
    ),
  );
  const chatEngines = new ChatEngines(host, chatHost, (unfitPath) => chatLoadRequest(settings(), wanted(), unfitPath));
  for (const { lifecycle, client } of [host, chatHost]) {
    whenWorkIsDone(lifecycle, () => gpuLosses.worked());
    whenDeviceIsLost(lifecycle, deviceLost);
    client.onDidGenerate(({ facts, result }) => decodeSpeeds.add(facts, result));
  }
  chatHost.client.onDidGenerate(({ facts, result }) => prefillSpeeds.add(facts, result));
  const measurement = new FirstMeasurement({
    client: host.client,
    prefillSpeeds,
    decodeSpeeds,
    mayRun: () => settings().enabled && settings().trigger === 'automatic',
    log,
  });
  const reconnector = new Reconnector(host.lifecycle);
  const monitor = new MemoryMonitor(host, chatHost, {
    settings,
    machineBytes: machine.memoryBytes,
    senses: { readPressure, readOnBattery },
    collectGarbage,
    registry: new WindowRegistry(stateDirectory === null ? null : join(stateDirectory, 'windows'), log),
    log,
  });
  const follow = followSettings(host, wanted);
  const growth = new ContextGrowth({ host, room, loadAgain: () => follow(settings()) });
  /** Models load for the processor meanwhile, and again for a device that is found. */
  const findDevices = ({ enabled, device }: InklingSettings): void => {
    if (!enabled || device === PROCESSOR) return;
    void devices.discover(() => {
      const isForProcessor = chooseDevices(settings().device, devices.devices ?? []).kind === 'processor';
      if (isForProcessor) return;
      // An unloaded model is planned when it comes back.
      for (const { lifecycle } of [host, chatHost]) if (lifecycle.state.kind !== 'unloaded') lifecycle.tryAgain();
    });
  };
  return {
    host,
    chatHost,
    chatEngines,
    models,
    chatFiles,
    monitor,
    crashed,
    load: async () => {
      const gpuAgain = gpuLosses.forgive();
      if (gpuAgain) devices.forget();
      for (const { lifecycle } of [host, chatHost]) {
        const { wanted } = lifecycle;
        const isLocal = wanted !== null && wanted.remote === undefined;
        const isForgiven = isLocal && ((await crashed.forgive(wanted.path)) || gpuAgain);
        if (isForgiven) lifecycle.tryAgain();
        else lifecycle.wake(true);
      }
    },
    settingsChanged: (current) => {
      chatEngines.reconsider();
      follow(current);
      monitor.reconsider();
      findDevices(current);
    },
    followClient: (processId) => watchdog.follow(processId),
    close: async () => {
      devices.dispose();
      gpuLosses.dispose();
      crashed.dispose();
      measurement.dispose();
      reconnector.dispose();
      monitor.dispose();
      growth.dispose();
      prefillFile.flush();
      decodeFile.flush();
      estimates.dispose();
      await Promise.all([host.lifecycle.close(), chatHost.lifecycle.close()]);
      await shared.close();
    },
  };
}

/** Asks for the model, or the machine, that the settings name. */
function followSettings({ lifecycle }: EngineHost, localRequest: () => LoadRequest) {
  let wasEnabled = false;
  return (settings: InklingSettings): void => {
    // Switching Inkling off leaves the engine as it is, and a server that starts switched off loads nothing. A machine
    // that is no longer named is left at once, though: the chat of VS Code may still ask.
    const isRemote = lifecycle.wanted?.remote !== undefined;
    if (settings.enabled || isRemote) lifecycle.want(remoteRequest(settings) ?? localRequest());
    if (settings.enabled && !wasEnabled) lifecycle.wake(true);
    wasEnabled = settings.enabled;
  };
}

/** What a host's model holds on a device, in bytes. */
function heldOn({ client }: EngineHost, id: string): number {
  const held = client.memory()?.devices.find(({ name }) => name === id);
  return held === undefined ? 0 : held.weightsBytes + held.contextBytes + held.computeBytes;
}

function isIntegrated({ client }: EngineHost, devices: readonly GpuDevice[]): boolean {
  const held = client.memory()?.devices ?? [];
  return devices.some(({ id, kind }) => kind === 'integrated' && held.some(({ name }) => name === id));
}

/** Windows that plan for different devices share no model. */
function placeName(choice: DeviceChoice): string {
  return choice.kind === 'devices' ? choice.devices.map(({ id }) => id).join(' ') : PROCESSOR;
}

/** Null for a model that is not loaded, or not on this machine. */
function backendOf({ client: { facts } }: EngineHost): string | null {
  return facts?.kind === 'local' ? facts.backend : null;
}
