import type { Connection } from 'vscode-languageserver';
import {
  CHECK_MODEL_REQUEST,
  type CheckModelParams,
  LIST_MODELS_REQUEST,
  type ListModelsParams,
  type ModelCheck,
  type ModelList,
} from '../../protocol/index.js';
import type { ModelLibrary } from '../models/model-library.js';
import { withAbortSignal } from './abort-signal.js';

/** `inkling/listModels` and `inkling/checkModel`. */
export function handleModels(connection: Connection, models: ModelLibrary): void {
  connection.onRequest<ModelList, void>(LIST_MODELS_REQUEST, (params: Partial<ListModelsParams> | null, token) =>
    withAbortSignal(token, (signal) => models.list(textOrNull(params?.storeDirectory), signal)),
  );
  connection.onRequest<ModelCheck, void>(CHECK_MODEL_REQUEST, (params: Partial<CheckModelParams> | null, token) => {
    const partial = params?.partial === true;
    return withAbortSignal(token, (signal) =>
      models.check(textOrNull(params?.path) ?? '', textOrNull(params?.storeDirectory), signal, { partial }),
    );
  });
}

/** Any client may send anything. */
function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
