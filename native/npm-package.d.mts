export function moveInto(source: string, target: string, sign: string): void;
