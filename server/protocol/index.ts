/**
 * Client and server share this folder: the types of every custom message, the settings parser, the texts for people.
 * Pure code that imports nothing else of ours.
 */
export * from './chat.js';
export * from './check-values.js';
export * from './context.js';
export * from './cut-text.js';
export * from './decision.js';
export * from './drawback.js';
export * from './editing.js';
export * from './engine-error.js';
export * from './format-size.js';
export * from './heartbeat.js';
export * from './languages.js';
export * from './line-ends.js';
export * from './memory.js';
export * from './models.js';
export * from './next-edit.js';
export * from './parse-settings.js';
export * from './settings.js';
export * from './statistics.js';
export * from './status.js';
export * from './trailing-slashes.js';
export * from './translate.js';
