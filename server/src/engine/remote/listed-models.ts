import { chooseModel } from './choose-model.js';
import type { HttpClient } from './http-client.js';
import { type JsonObject, listOf, objectOf, textOf } from './json.js';

/**
 * Which model of OpenAI's list is meant, and what the server says of it there.
 * @param wanted as for `chooseModel`
 * @throws EngineError
 */
export async function chooseListedModel(
  http: HttpClient,
  wanted: string,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly listed: JsonObject }> {
  const { data } = objectOf(await http.get('/v1/models', { signal }));
  const models = listOf(data).map(objectOf);
  const names = models.map((each) => textOf(each.id));
  const id = chooseModel(http.host, names, wanted);
  return { id, listed: objectOf(models.find((each) => each.id === id)) };
}
