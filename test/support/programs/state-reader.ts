// Reads every kind of file that servers share, as one of them would: `state-reader FOLDER`. Prints what it made of them.
import { join } from 'node:path';
import { OfferFolder } from '../../../server/src/engine/shared/offer-folder.js';
import { WindowRegistry } from '../../../server/src/memory/window-registry.js';
import { JsonFile } from '../../../server/src/util/files/json-file.js';
import { LockFile } from '../../../server/src/util/files/lock-file.js';
import { ProcessMarkers } from '../../../server/src/util/files/process-markers.js';

const folder = process.argv[2] ?? '';
const ignore = (): void => undefined;
const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const own = { pid: process.pid, privateBytes: 1, sharedBytes: 0, modelPath: '' };

function find(): string {
  try {
    return OfferFolder.open({ XDG_RUNTIME_DIR: folder }).find('abc') === null ? 'nobody' : 'found';
  } catch (error) {
    return error instanceof Error ? error.name : 'thrown';
  }
}

const markers = new ProcessMarkers({ folder: join(folder, 'loading'), parse: (each) => each, durable: false, log });
console.log(JSON.stringify({ file: new JsonFile(join(folder, 'state.json'), log).read() }));
console.log(JSON.stringify({ marked: markers.left().filter(({ content }) => content !== null).length }));
console.log(JSON.stringify({ windows: new WindowRegistry(join(folder, 'windows'), log).update(own).count }));
console.log(JSON.stringify({ held: LockFile.isHeld(join(folder, 'model.lock')) }));
console.log(JSON.stringify({ offer: find() }));
