import type { Connection } from 'vscode-languageserver';
import {
  CHECK_CHAT_MODEL_REQUEST,
  CHECK_MODEL_REQUEST,
  type ChatModelCheck,
  type CheckChatModelParams,
  type CheckModelParams,
  isCount,
  LIST_MODELS_REQUEST,
  type ListModelsParams,
  type ModelCheck,
  type ModelList,
} from '../../../protocol/index.js';
import type { ChatModelFiles } from '../../models/chat-model-files.js';
import type { ModelLibrary } from '../../models/model-library.js';
import { withAbortSignal } from '../connection/abort-signal.js';

/** The requests of protocol/models.ts. */
export function handleModels(connection: Connection, models: ModelLibrary, chatFiles: ChatModelFiles): void {
  connection.onRequest<ModelList, void>(LIST_MODELS_REQUEST, (params: Partial<ListModelsParams> | null, token) =>
    withAbortSignal(token, (signal) => models.list(textOrNull(params?.storeDirectory), signal)),
  );
  connection.onRequest<ModelCheck, void>(CHECK_MODEL_REQUEST, (params: Partial<CheckModelParams> | null, token) => {
    const partial = params?.partial === true;
    const otherBytes = isCount(params?.otherBytes) ? params.otherBytes : 0;
    return withAbortSignal(token, (signal) =>
      models.check(textOrNull(params?.path) ?? '', textOrNull(params?.storeDirectory), signal, { partial, otherBytes }),
    );
  });
  connection.onRequest<ChatModelCheck, void>(
    CHECK_CHAT_MODEL_REQUEST,
    async (params: Partial<CheckChatModelParams> | null) => ({
      error: await chatFiles.refusal(textOrNull(params?.path) ?? ''),
    }),
  );
}

/** Any client may send anything. */
function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
