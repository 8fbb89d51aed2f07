import { expect, it } from 'vitest';
import { EngineError } from '../../../../../server/src/engine/port/engine-error.js';
import type { PlanLoad } from '../../../../../server/src/engine/port/plan-load.js';
import { ScriptedEngine } from '../../scripted-engine.js';
import { ignore, loadedHost, never, REQUEST, settle, TWO } from './loaded-host.js';

it('loads the model again when the process that ran it ends, and requests wait for that', async () => {
  const { host, engines } = await loadedHost();
  engines[0]?.end();
  expect(host.lifecycle.state).toEqual({ kind: 'loading', progress: 0 });
  const waiting = host.lifecycle.wakeAndWait(false, never);
  await settle();
  expect(engines[0]?.closed).toBe(true);
  engines[1]?.finishLoad();
  await waiting;
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
  expect((await host.client.generate(REQUEST, ignore, never)).text).toBe('text');
});

it('takes a request that ended with it for no failure of the model', async () => {
  const { host, engines } = await loadedHost();
  const [engine] = engines;
  if (engine === undefined) throw new Error('No engine was made');
  engine.failure = new EngineError('ownerLost', 'The window has ended');
  await expect(host.client.generate(REQUEST, ignore, never)).rejects.toMatchObject({ code: 'ownerLost' });
  expect(host.lifecycle.state).toEqual({ kind: 'ready' });
});

it('leaves another model alone that has taken its place', async () => {
  const { host, engines } = await loadedHost();
  host.lifecycle.want(TWO);
  await settle();
  engines[1]?.finishLoad();
  await settle();
  engines[0]?.end();
  await settle();
  expect(engines).toHaveLength(2);
  expect([host.lifecycle.state.kind, host.client.facts?.path]).toEqual(['ready', TWO.path]);
});

it('does not come back where its model no longer fits', async () => {
  const full = { code: 'outOfMemory', message: 'full' } as const;
  let fits = true;
  const plan: PlanLoad = async (options) => (fits ? { kind: 'fits', options } : { kind: 'refused', error: full });
  const { host, engines } = await loadedHost(plan);
  fits = false;
  engines[0]?.end();
  await settle();
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'memoryPressure' });
  host.lifecycle.pressureIsOver();
  fits = true;
  host.lifecycle.wake(false);
  await settle();
  engines[1]?.finishLoad();
  await settle();
  expect(host.lifecycle.state.kind).toBe('ready');
});

it('is in use while another window uses its engine', async () => {
  const { host, engines } = await loadedHost();
  const engine = Object.assign(engines[0] ?? new ScriptedEngine(), { idleElsewhereMs: () => Number.POSITIVE_INFINITY });
  await settle();
  expect(host.client.idleMs).toBeGreaterThan(0);
  engine.idleElsewhereMs = () => 0;
  expect(host.client.idleMs).toBe(0);
});

it('says what its owner could not give', async () => {
  const { host, engines } = await loadedHost();
  const drawback = { code: 'deviceUnusable', message: 'The processor is used.' } as const;
  engines[0]?.end();
  await settle();
  Object.assign(engines[1] ?? new ScriptedEngine(), { drawback: () => drawback });
  engines[1]?.finishLoad();
  await settle();
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: drawback });
  // The same plan again changes nothing.
  host.lifecycle.planAgain();
  await settle();
  expect(engines).toHaveLength(2);
  expect(host.lifecycle.state).toEqual({ kind: 'error', error: drawback });
});
