/** The types of every custom message, which client and server share. Imports nothing else of ours. */
export * from './chat.js';
export * from './context.js';
export * from './decision.js';
export * from './editing.js';
export * from './engine-error.js';
export * from './memory.js';
export * from './models.js';
export * from './settings.js';
export * from './statistics.js';
export * from './status.js';
export * from './translate.js';
