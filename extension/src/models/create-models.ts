import type { ExtensionContext, LogOutputChannel } from 'vscode';
import { LOAD_NOTIFICATION } from '../../../server/protocol/index.js';
import type { Session } from '../client/session.js';
import {
  invalidRepositoryUrl,
  readRepositoryUrl,
  writeChatModelPath,
  writeContextLength,
  writeModelPath,
  writeRemoteUrl,
} from '../manifest/settings.js';
import type { UserSettings } from '../manifest/user-settings.js';
import { Models } from './models.js';

/** Connects the models with the user's settings and the server. */
export function createModels(
  { globalState, globalStorageUri, secrets }: ExtensionContext,
  settings: UserSettings,
  session: Session,
  log: LogOutputChannel,
): Models {
  return new Models({
    storageFolder: globalStorageUri.fsPath,
    secrets,
    memento: globalState,
    repositoryUrl: () => readRepositoryUrl(settings.configuration),
    invalidRepositoryUrl: () => invalidRepositoryUrl(settings.configuration),
    modelPath: () => settings.current.modelPath,
    writeModelPath: (path) => writeModelPath(settings.configuration, path),
    writeContextLength: (tokens) => writeContextLength(settings.configuration, tokens),
    chatModelPath: () => settings.current.chatModelPath,
    writeChatModelPath: (path) => writeChatModelPath(settings.configuration, path),
    remoteUrl: () => settings.current.remoteUrl,
    clearRemoteUrl: async () => {
      if (settings.current.remoteUrl !== '') await writeRemoteUrl(settings.configuration, '');
    },
    loadAgain: () => {
      const { kind } = session.status.state;
      if (kind === 'unloaded' || kind === 'error') session.notify(LOAD_NOTIFICATION, {});
    },
    request: (method, parameters) => {
      session.start();
      return session.request(method, parameters);
    },
    log,
  });
}
