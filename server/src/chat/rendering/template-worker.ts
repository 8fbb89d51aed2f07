import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type RenderJob, renderTemplate } from './render-template.js';

// The program of the process that `TemplateRenderer` starts. A thread renders, so that the process notices the end of the
// server in the middle of an endless template. It is a process, since V8 ends one where a thread has no memory left.

const HEAP_MEGABYTES = 128;

if (isMainThread) {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: HEAP_MEGABYTES / 8 };
  const worker = new Worker(__filename, { resourceLimits });
  worker.once('online', () => process.send?.('ready'));
  process.on('message', (job: RenderJob) => worker.postMessage(job));
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  worker.on('message', (rendered: object) => process.send?.(rendered));
  worker.on('error', () => process.exit(1));
} else {
  parentPort?.on('message', (job: RenderJob) => parentPort?.postMessage(renderTemplate(job)));
}
