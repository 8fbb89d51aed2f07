import { join } from 'node:path';
import { ChatEngines } from './chat/chat-engines.js';
import { ChatService } from './chat/chat-service.js';
import { CompletionService } from './completion/completion-service.js';
import { LearnedConfidence } from './completion/confidence/learned-confidence.js';
import { AcceptanceTracker } from './completion/feedback/acceptance.js';
import { Statistics } from './completion/feedback/statistics.js';
import { ContextService } from './context/context-service.js';
import { createAddonEngineFactory } from './engine/addon-engine-factory.js';
import { EngineHost } from './engine/engine-host.js';
import { EstimateProcess } from './engine/estimate-process.js';
import type { PlanLoad } from './engine/plan-load.js';
import { createEngineFactory } from './engine/remote/engine-factory.js';
import { Reconnector } from './engine/remote/reconnector.js';
import { remoteRequest } from './engine/remote/remote-target.js';
import { handleChat } from './lsp/chat.js';
import { handleConfiguration } from './lsp/configuration.js';
import { openConnection, type Transport } from './lsp/connection.js';
import { createConnectionLog } from './lsp/connection-log.js';
import { handleContext, keepContext } from './lsp/context.js';
import { handleDecisions } from './lsp/decisions.js';
import { followDocuments } from './lsp/documents.js';
import { handleEditing } from './lsp/editing.js';
import { handleInitialize } from './lsp/initialize.js';
import { handleInlineCompletion } from './lsp/inline-completion.js';
import { ServerLifetime } from './lsp/lifetime.js';
import { handleMemory } from './lsp/memory.js';
import { handleModels } from './lsp/models.js';
import { handleStatus } from './lsp/status.js';
import { keepSyntaxTrees } from './lsp/syntax.js';
import { WorkspaceFolders } from './lsp/workspace-folders.js';
import { heldMemory } from './memory/held-memory.js';
import { MemoryMonitor } from './memory/memory-monitor.js';
import { readOnBattery, readPressure } from './memory/system-memory.js';
import { WindowRegistry } from './memory/window-registry.js';
import { ChatModelFiles } from './models/chat-model-files.js';
import { LoadPlanner } from './models/load-planner.js';
import { chatLoadRequest, loadRequest } from './models/load-request.js';
import { ModelLibrary } from './models/model-library.js';
import { thisMachine } from './models/this-machine.js';
import { SettingsStore } from './settings/settings-store.js';
import { describeStatus } from './status.js';
import { GrammarLoader } from './syntax/grammar-loader.js';
import { SyntaxTrees } from './syntax/syntax-trees.js';
import { JsonFile } from './util/json-file.js';

export interface ServerOptions {
  readonly transport: Transport;
  /** The file that this process runs, for processes that help it. */
  readonly program: string;
  /** Where the `.node` files are. */
  readonly nativeDirectory: string;
  /** Where the tree-sitter grammars are. */
  readonly grammarsDirectory: string;
  /** The GGUF that serves while the user has chosen none. */
  readonly starterModelPath: string;
  readonly version: string;
  /** A folder for what is remembered between sessions, on this machine only; null remembers nothing. */
  readonly stateDirectory: string | null;
  readonly environment: NodeJS.ProcessEnv;
}

/** Puts the server together. The process lives until the client says `exit` or is gone. */
export function startServer(options: ServerOptions): void {
  const close = async (): Promise<void> => {
    reconnector.dispose();
    monitor.dispose();
    estimates.dispose();
    completions.dispose();
    chat.dispose();
    acceptance.dispose();
    for (const file of [statisticsFile, confidenceFile]) file.flush();
    await Promise.all([host.close(), chatHost.close()]);
  };
  const lifetime = new ServerLifetime(close);
  const connection = openConnection(options.transport, lifetime);
  const log = createConnectionLog(connection);

  connection.listen();
  // From here on the client's first message may be on its way; the addon loads meanwhile. Messages are handled in a
  // later turn, when every handler below is in place.
  const settings = new SettingsStore(log);
  const machine = thisMachine(options.environment);
  const { program, environment } = options;
  const estimates = new EstimateProcess({ program, environment, log });
  const wanted = () => loadRequest(settings.current, options.starterModelPath);
  const planner = (of: () => EngineHost, slots: 1 | 2) =>
    new LoadPlanner({
      estimateMemory: estimates.estimate,
      machineBytes: machine.memoryBytes,
      held: () => heldMemory(of().memory()),
      availableBytes: () => process.availableMemory(),
      slots,
    });
  const models = new ModelLibrary({
    starterModelPath: options.starterModelPath,
    machine,
    backend: () => host.facts?.backend ?? null,
    loadRequest: wanted,
    planner: planner(() => host, 2),
  });
  const createLocalEngine = createAddonEngineFactory(options.nativeDirectory, environment, log);
  const createEngine = createEngineFactory(createLocalEngine, environment, log);
  const planOne: PlanLoad = async (requested) =>
    requested.remote === undefined ? models.plan(requested) : { kind: 'fits', options: requested };
  const host = new EngineHost(createEngine, log, (requested) => engines.planBeside(planOne, requested));
  const chatFiles = new ChatModelFiles({
    header: (path) => models.header(path),
    planner: planner(() => chatHost, 1),
    loadRequest: wanted,
    machineBytes: machine.memoryBytes,
  });
  const chatHost = new EngineHost(createLocalEngine, log, (requested) => chatFiles.plan(requested));
  const engines = new ChatEngines(host, chatHost, (unfitPath) =>
    chatLoadRequest(settings.current, wanted(), unfitPath),
  );
  settings.onDidChange(() => engines.reconsider());
  const reconnector = new Reconnector(host);
  let wasEnabled = false;
  settings.onDidChange((current) => {
    // Switching Inkling off leaves the engine as it is; starting switched off loads nothing. Another machine that is no
    // longer named is left at once, though: the chat of VS Code may still ask.
    if (current.enabled || host.wanted?.remote !== undefined) host.want(remoteRequest(current) ?? wanted());
    if (current.enabled && !wasEnabled) host.wake(true);
    wasEnabled = current.enabled;
  });
  const windowsFolder = options.stateDirectory === null ? null : join(options.stateDirectory, 'windows');
  const monitor = new MemoryMonitor(host, chatHost, {
    settings: () => settings.current,
    machineBytes: machine.memoryBytes,
    senses: { readPressure, readOnBattery },
    registry: new WindowRegistry(windowsFolder, log),
    log,
  });
  settings.onDidChange(() => monitor.reconsider());
  const syntaxTrees = new SyntaxTrees(new GrammarLoader(options.grammarsDirectory, log));
  const context = new ContextService(log);
  const { stateDirectory } = options;
  const stateFile = (name: string) => new JsonFile(stateDirectory === null ? null : join(stateDirectory, name), log);
  const [statisticsFile, confidenceFile] = [stateFile('statistics.json'), stateFile('confidence.json')];
  const confidence = new LearnedConfidence(confidenceFile);
  const completions = new CompletionService(host, () => settings.current, syntaxTrees, context, confidence, log);
  context.onDidRefresh((uri) => completions.contextChanged(uri));
  context.onDidRevoke((uri) => completions.contextRevoked(uri));
  const chatModelFiles = {
    eosToken: (path: string) => models.eosToken(path),
    describe: (path: string) => chatFiles.describe(path),
  };
  const chat = new ChatService(engines, chatModelFiles, () => settings.current.speculation, log);
  const currentStatus = () =>
    describeStatus(host, settings.current, monitor.summary(), completions.lastCompletion, engines);

  const folders = new WorkspaceFolders();
  const documents = followDocuments(connection, [
    keepSyntaxTrees(syntaxTrees),
    keepContext(context),
    {
      edited: ({ uri, version }, changes) => completions.documentEdited(uri, version, changes),
      closed: ({ uri }) => completions.documentClosed(uri),
    },
  ]);
  const statistics = new Statistics(statisticsFile, completions.latencies);
  const acceptance = new AcceptanceTracker(statistics, confidence, (uri) => documents.get(uri)?.getText() ?? null);
  const announceStatus = handleStatus(connection, currentStatus, [
    host.onDidChange,
    chatHost.onDidChange,
    settings.onDidChange,
    completions.onDidComplete,
    monitor.onDidChange,
  ]);
  handleInitialize(connection, settings, folders, options.version, announceStatus);
  handleConfiguration(connection, settings);
  const shown = acceptance.shown.bind(acceptance);
  handleInlineCompletion(connection, documents, folders, completions, shown, log);
  handleEditing(connection, documents, folders, completions, acceptance, log);
  handleDecisions(connection, completions, statistics);
  handleContext(connection, folders, settings, context, log);
  handleModels(connection, models, chatFiles);
  handleChat(connection, chat, log);
  handleMemory(connection, [host, chatHost], monitor);
  connection.onShutdown(() => close());
}
