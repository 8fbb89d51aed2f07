import { renderTemplate } from '../../../../server/src/chat/rendering/render-template.js';
import type { RenderTemplate } from '../../../../server/src/chat/rendering/template-renderer.js';

/** As the worker renders, without one: templates of unit tests are harmless. */
export const renderHere: RenderTemplate = async (job) => renderTemplate(job);
