import { parentPort } from 'node:worker_threads';
import { type RenderJob, renderTemplate } from './render-template.js';

// The program of the worker that `TemplateRenderer` starts and ends.
parentPort?.on('message', (job: RenderJob) => parentPort?.postMessage(renderTemplate(job)));
