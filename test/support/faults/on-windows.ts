import { OWN_PROCESS } from '../../../server/src/util/files/process-identity.js';

/** Runs what is different on Windows as if it were there. What the system itself does differently is not. */
export function onWindows(run: () => void): void {
  const here = Object.getOwnPropertyDescriptor(process, 'platform');
  if (here === undefined) throw new Error('the process says no platform');
  // Remembered from the first call on, which other tests of this thread depend on.
  void OWN_PROCESS.start;
  Object.defineProperty(process, 'platform', { ...here, value: 'win32' });
  try {
    run();
  } finally {
    Object.defineProperty(process, 'platform', here);
  }
}
