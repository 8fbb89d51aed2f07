import { type LogOutputChannel, window } from 'vscode';
import { SETTING_KEYS } from '../../server/protocol/index.js';
import type { Session } from './client/session.js';
import type { CommandHandlers } from './commands.js';
import { openMachineSetting } from './editor/open-setting.js';
import {
  CONFIGURATION_SECTION,
  toggleEnabled,
  turnOnLanguage,
  writeChatModelPath,
  writeStarterOnly,
} from './manifest/settings.js';
import type { UserSettings } from './manifest/user-settings.js';
import { freeCaches, loadModel, unloadModel } from './memory/memory-actions.js';
import type { MemoryView } from './memory/memory-view.js';
import type { Models } from './models/models.js';
import type { RemoteAccess } from './remote/remote-access.js';
import type { Reports } from './reports/reports.js';
import type { StatusBar } from './status/status-bar.js';
import type { Snooze } from './suggestions/snooze.js';
import { openExample, openWalkthrough } from './welcome.js';

export interface CommandParts {
  readonly extensionId: string;
  readonly settings: UserSettings;
  readonly session: Session;
  readonly models: Models;
  readonly snooze: Snooze;
  readonly statusBar: StatusBar;
  readonly memoryView: MemoryView;
  readonly remote: RemoteAccess;
  readonly reports: Reports;
  readonly log: LogOutputChannel;
}

/** What each command does, with the parts of the extension. */
export function commandHandlers(parts: CommandParts): CommandHandlers {
  const { extensionId, settings, session, models, snooze, statusBar, memoryView, remote, reports, log } = parts;
  return {
    openWalkthrough: () => openWalkthrough(extensionId),
    openExample: () =>
      openExample(
        () => session.status.state.kind === 'loading',
        () => (session.serverPid === null ? statusBar.obstacle : null),
      ),
    showMenu: (origin) => statusBar.openMenu(origin),
    restart: () => session.restart(),
    toggle: () => toggleEnabled(settings.configuration),
    turnOnLanguage: async () => {
      const document = window.activeTextEditor?.document;
      if (document !== undefined) await turnOnLanguage(settings.configuration, document.languageId);
    },
    turnOn: async () => {
      if (!settings.current.enabled) await toggleEnabled(settings.configuration);
    },
    showLog: () => log.show(true),
    pickModel: () => models.pick(),
    useOfferedChatModel: (offerId) => models.useOfferedChatModel(offerId),
    useOneModel: () => writeChatModelPath(settings.configuration, ''),
    useStarter: async () => {
      await writeStarterOnly(settings.configuration);
      // A running server follows the setting; one that was given up starts again.
      session.start();
    },
    openDeviceSetting: () => openMachineSetting(`${CONFIGURATION_SECTION}.${SETTING_KEYS.device}`),
    openRemoteModelSetting: () => openMachineSetting(`${CONFIGURATION_SECTION}.${SETTING_KEYS.remoteModel}`),
    snooze: () => snooze.toggle(),
    showMemory: () => {
      session.start();
      memoryView.open();
    },
    freeCaches: () => freeCaches(session),
    unload: () => unloadModel(session),
    load: () => loadModel(session),
    useRemote: () => remote.choose(),
    setRemoteKey: () => remote.askForKey(),
    explainDecisions: () => reports.explainDecisions(),
    describeStatistics: () => reports.describeStatistics(),
  };
}
