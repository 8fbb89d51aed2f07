export function packageReadme(text: string): string;
