export const FONT: string;
export function iconFont(): Buffer;
