import type { ModelFiles } from '../../../../server/src/chat/chat-service.js';

/** No model's file can be read. */
export const NO_FILES: ModelFiles = {
  eosToken: async () => null,
  describe: async (path) => ({ code: 'fileNotFound', message: `There is no model file at ${path}` }),
  chatModelInstead: async () => null,
};
