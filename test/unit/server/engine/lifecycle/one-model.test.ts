import { expect, it } from 'vitest';
import { oneModel } from '../../../../../server/src/engine/lifecycle/one-model.js';
import type { ModelFacts } from '../../../../../server/src/engine/port/model-facts.js';
import { FACTS, ScriptedEngine } from '../../scripted-engine.js';

const never = new AbortController().signal;

it.each([
  ['another model', { ...FACTS }, 'Another model was loaded meanwhile'],
  ['no model', null, 'The model was unloaded meanwhile'],
])('asks one model, and once %s is loaded, none', async (_name, later, message) => {
  const engine = new ScriptedEngine();
  let asked = 0;
  const client = {
    facts: FACTS as ModelFacts | null,
    generate: async (...request: Parameters<typeof engine.generate>) => {
      asked += 1;
      return engine.generate(...request);
    },
    tokenize: async () => {
      asked += 1;
      return [1];
    },
  };
  const one = oneModel(client, FACTS);
  const generate = () => one.generate({ prompt: ['p'], maxTokens: 1 }, () => undefined, never);
  expect([await one.tokenize('a'), (await generate()).text]).toEqual([[1], 'text']);
  client.facts = later;
  await expect(one.tokenize('a')).rejects.toThrow(message);
  await expect(generate()).rejects.toMatchObject({ code: 'notLoaded', message });
  expect(asked).toBe(2);
});
