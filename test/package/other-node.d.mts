export function otherNode(target: string): string;
