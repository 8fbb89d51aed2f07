import { type ModelCheck, t } from '../../../server/protocol/index.js';

export type RefusedModel = Extract<ModelCheck, { kind: 'refused' }>;

/** A button below the reason why a model cannot be used. */
export interface RefusalChoice {
  readonly kind: 'shorterContext' | 'chatOnly' | 'alternative';
  readonly label: string;
}

export interface RefusalText {
  readonly message: string;
  readonly choices: readonly RefusalChoice[];
}

/** @param alternativeInUse the model that could be used instead is the one in use */
export function refusalText(
  { error, contextLength, canChat, alternative }: RefusedModel,
  alternativeInUse: boolean,
): RefusalText {
  const choices: RefusalChoice[] = [];
  const offersAlternative = !alternativeInUse && alternative.refusal === null;
  if (contextLength !== null) {
    choices.push({ kind: 'shorterContext', label: t('Use a Context of {0} Tokens', contextLength) });
  } else if (canChat) {
    choices.push({ kind: 'chatOnly', label: t('Use It for Chat Only') });
  }
  if (offersAlternative) choices.push({ kind: 'alternative', label: t('Use {0}', alternative.name) });
  if (contextLength !== null) {
    return { message: t('{0}. A context of {1} tokens would fit.', error.message, contextLength), choices };
  }
  const fits = error.code === 'outOfMemory' && offersAlternative;
  return { message: fits ? t('{0}. {1} would fit.', error.message, alternative.name) : `${error.message}.`, choices };
}
