import { join } from 'node:path';
import type { InklingSettings } from '../protocol/index.js';
import { ChatEngines } from './chat/chat-engines.js';
import { createDevices } from './create-devices.js';
import { createPlanning } from './create-planning.js';
import { createSpeeds } from './create-speeds.js';
import { openLocalEngines } from './engine/addon/addon-engine-factory.js';
import { endHungLoads } from './engine/addon/hung-loads.js';
import { createEngineHost, type EngineHost } from './engine/lifecycle/engine-host.js';
import { FirstMeasurement } from './engine/lifecycle/first-measurement.js';
import type { LoadOptions, LoadRequest } from './engine/port/engine.js';
import type { PlanLoad } from './engine/port/plan-load.js';
import { remoteRequest } from './engine/port/remote-target.js';
import { createEngineFactory } from './engine/remote/engine-factory.js';
import { Reconnector } from './engine/remote/reconnector.js';
import { createSharedEngine } from './engine/shared/shared-engine.js';
import { SharedModels } from './engine/shared/shared-models.js';
import { MemoryMonitor } from './memory/memory-monitor.js';
import { readOnBattery, readPressure } from './memory/system-memory.js';
import { WindowRegistry } from './memory/window-registry.js';
import type { ChatModelFiles } from './models/chat-model-files.js';
import { thisMachine } from './models/discovery/this-machine.js';
import type { ModelLibrary } from './models/model-library.js';
import { ContextGrowth } from './models/planning/context-growth.js';
import { chatLoadRequest } from './models/planning/load-request.js';
import type { CrashedModels } from './models/safety/crashed-models.js';
import type { ServerOptions } from './server-options.js';
import { collectGarbage } from './util/collect-garbage.js';
import type { Log } from './util/log.js';

/** The engines of suggestions and of chat, with all that decides which models they have. */
export interface Engines {
  readonly host: EngineHost;
  /** Has the model for chat alone; empty where there is none. */
  readonly chatHost: EngineHost;
  readonly chatEngines: ChatEngines;
  readonly models: ModelLibrary;
  readonly chatFiles: ChatModelFiles;
  readonly monitor: MemoryMonitor;
  readonly crashed: CrashedModels;
  settingsChanged(settings: InklingSettings): void;
  /** By the user's command: loads what is unloaded, and tries once more what was refused, such as for lack of memory. */
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
  const { environment, nativeDirectory, stateDirectory, version } = options;
  const machine = thisMachine(environment);
  const speeds = createSpeeds(options, log);
  const devices = createDevices(options, machine.unifiedMemory, log, endBroken);
  const hosts = (): [EngineHost, EngineHost] => [host, chatHost];
  const planning = createPlanning(options, settings, machine, { devices, speeds, hosts }, log);
  const { models, chatFiles, crashed, wanted } = planning;
  const local = openLocalEngines({
    nativeDirectory,
    environment,
    duringLoad: endHungLoads({ crashed, log, end: endBroken }),
    duringDeviceLoad: (device) => devices.duringLoad(device),
    duringGpuWork: devices.duringWork,
    readCard: (path) => models.card(path),
    log,
  });
  const shared = new SharedModels({
    environment,
    version,
    placeOf: (requested) => devices.placeOf(requested),
    createEngine: local.create,
    onDeviceLost: devices.lost,
    log,
  });
  const createLocal = (asked: LoadOptions) => createSharedEngine(shared, asked);
  const planLocal = (plan: PlanLoad): PlanLoad => devices.unlessGivenUp(shared.around(plan));
  const [planModel, planChat] = [planLocal(planning.plan), planLocal(planning.planChat)];
  const host = createEngineHost(
    createEngineFactory(createLocal, environment, log),
    log,
    async (requested) => (requested.remote === undefined ? planModel(requested) : { kind: 'fits', options: requested }),
    (requested, refusal) => chatEngines.makeRoom(requested, refusal),
    planning.substitute,
    speeds.prefill,
  );
  const chatHost = createEngineHost(createLocal, log, planChat, undefined, planning.substitute);
  const chatEngines = new ChatEngines(host, chatHost, (unfitPath) => chatLoadRequest(settings(), wanted(), unfitPath));
  for (const each of hosts()) devices.follow(each);
  speeds.follow(host, chatHost);
  const measurement = new FirstMeasurement({
    client: host.client,
    prefillSpeeds: speeds.prefill,
    decodeSpeeds: speeds.decode,
    mayRun: () => settings().enabled && settings().trigger === 'automatic',
    log,
  });
  const reconnector = new Reconnector(host.lifecycle);
  const monitor = new MemoryMonitor(host, chatHost, {
    settings,
    machineBytes: machine.memoryBytes,
    hasOwnMemory: devices.hasOwnMemory,
    senses: { readPressure, readOnBattery },
    collectGarbage,
    kept: () => shared.keptMemory(),
    registry: new WindowRegistry(stateDirectory && join(stateDirectory, 'windows'), log),
    log,
  });
  const follow = followSettings(host, wanted);
  const growth = new ContextGrowth({ host, room: planning.room, loadAgain: () => follow(settings()) });
  return {
    host,
    chatHost,
    chatEngines,
    models,
    chatFiles,
    monitor,
    crashed,
    load: async () => {
      devices.tryAgain(settings(), (hasChanged) => {
        for (const each of hosts()) if (hasChanged || isDeviceUnusable(each)) planLocalAgain(each);
      });
      for (const { lifecycle } of hosts()) {
        const { wanted } = lifecycle;
        const isLocal = wanted !== null && wanted.remote === undefined;
        if (isLocal && (await crashed.forgive(wanted.path))) lifecycle.planAgain();
        else lifecycle.load();
      }
    },
    settingsChanged: (current) => {
      chatEngines.reconsider();
      follow(current);
      monitor.reconsider();
      // Models load for the processor meanwhile, and again for a device that is found.
      devices.find(settings, () => hosts().forEach(planLocalAgain));
    },
    followClient: (processId) => local.watchdog.follow(processId),
    close: async () => {
      devices.dispose();
      planning.dispose();
      measurement.dispose();
      reconnector.dispose();
      monitor.dispose();
      growth.dispose();
      speeds.flush();
      await Promise.all([host.lifecycle.close(), chatHost.lifecycle.close()]);
      await shared.close();
    },
  };
}

/** Asks for the model, or the remote server, that the settings name. */
function followSettings({ lifecycle }: EngineHost, localRequest: () => LoadRequest) {
  let wasEnabled = false;
  return (settings: InklingSettings): void => {
    // Switching Inkling off leaves the engine as it is, and a server that starts switched off loads nothing. A
    // remote server that is no longer named is left at once: Inkling would still try to reach one that it has lost.
    const isRemote = lifecycle.wanted?.remote !== undefined;
    if (settings.enabled || isRemote) lifecycle.want(remoteRequest(settings) ?? localRequest());
    if (settings.enabled && !wasEnabled) lifecycle.wake(true);
    wasEnabled = settings.enabled;
  };
}

/** Plans a model of this machine for other devices than before. An unloaded one is planned when it comes back. */
function planLocalAgain({ lifecycle }: EngineHost): void {
  const isLocal = lifecycle.wanted !== null && lifecycle.wanted.remote === undefined;
  if (isLocal && lifecycle.state.kind !== 'unloaded') lifecycle.planAgain();
}

function isDeviceUnusable({ lifecycle: { state } }: EngineHost): boolean {
  return state.kind === 'error' && state.error.code === 'deviceUnusable';
}
