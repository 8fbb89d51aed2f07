import { type Disposable, type WorkspaceConfiguration, workspace } from 'vscode';
import type { InklingSettings } from '../../../server/protocol/index.js';
import { CONFIGURATION_SECTION, readSettings } from './settings.js';

/** The user's settings, as they are now. Nothing else asks VS Code for them. */
export class UserSettings {
  get configuration(): WorkspaceConfiguration {
    return workspace.getConfiguration(CONFIGURATION_SECTION);
  }

  get current(): InklingSettings {
    return readSettings(this.configuration);
  }

  onDidChange(listener: () => void): Disposable {
    return workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(CONFIGURATION_SECTION)) listener();
    });
  }
}
