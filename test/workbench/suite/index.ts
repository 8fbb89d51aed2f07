import Mocha from 'mocha';

/**
 * The entry point of the suite that runs inside VS Code's extension host: `extensionTestsPath` of test-electron
 * (desktop.ts) and of the code-server driver. With `MOCHA_JSON`, a file path, the results go there as JSON.
 */
export async function run(): Promise<void> {
  const output = process.env.MOCHA_JSON;
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 120_000,
    ...(output === undefined ? { reporter: 'spec' } : { reporter: 'json', reporterOptions: { output } }),
  });
  // What Mocha does before it loads a file: it makes `describe`, `it` and the hooks global.
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, '', mocha);
  await import('./activation.test.js');
  await import('./completion.test.js');
  await import('./language-model.test.js');
  await import('./pause.test.js');
  await import('./proposed-api.test.js');
  await import('./virtual-workspace.test.js');
  await import('./server-life.test.js');
  const failures = await new Promise<number>((resolve) => {
    mocha.run(resolve);
  });
  if (failures > 0) throw new Error(`${failures} of the extension host's tests failed.`);
}
