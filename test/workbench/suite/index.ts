import Mocha from 'mocha';

/**
 * Entry point of the suite inside VS Code's extension host: the `extensionTestsPath` of test-electron (desktop.ts) and
 * of the code-server driver. Writes the results as JSON to the file `MOCHA_JSON`, if set.
 */
export async function run(): Promise<void> {
  const output = process.env.MOCHA_JSON;
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 120_000,
    ...(output === undefined ? { reporter: 'spec' } : { reporter: 'json', reporterOptions: { output } }),
  });
  // Like Mocha before it loads a file: defines `describe`, `it` and the hooks as globals.
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, '', mocha);
  await import('./activation.test.js');
  await import('./completion.test.js');
  await import('./definitions.test.js');
  await import('./language-model.test.js');
  await import('./notebook.test.js');
  await import('./off.test.js');
  await import('./proposed-api.test.js');
  await import('./virtual-workspace.test.js');
  await import('./server-life.test.js');
  const failures = await new Promise<number>((resolve) => {
    mocha.run(resolve);
  });
  if (failures > 0) throw new Error(`${failures} of the extension host's tests failed.`);
}
