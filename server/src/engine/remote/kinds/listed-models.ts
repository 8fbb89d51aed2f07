import { type JsonObject, listOf, objectOf, textOf } from '../../../util/json.js';
import type { HttpClient } from '../http/http-client.js';
import { chooseModel } from './choose-model.js';

/** A model of OpenAI's list, with its entry. */
export interface ListedModel {
  readonly id: string;
  readonly listed: JsonObject;
}

/** @throws EngineError */
export async function listModels(http: HttpClient, signal: AbortSignal): Promise<readonly ListedModel[]> {
  const { data } = objectOf(await http.get('/v1/models', { signal }));
  return listOf(data)
    .map(objectOf)
    .map((listed) => ({ id: textOf(listed.id), listed }));
}

/**
 * Chooses the model that the user means.
 * @param wanted as for `chooseModel`
 * @throws EngineError
 */
export async function chooseListedModel(http: HttpClient, wanted: string, signal: AbortSignal): Promise<ListedModel> {
  const models = await listModels(http, signal);
  const names = models.map(({ id }) => id);
  const id = chooseModel(http.host, names, wanted);
  return { id, listed: models[names.indexOf(id)]?.listed ?? {} };
}
