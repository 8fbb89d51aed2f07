/**
 * Text from a model file, a repository or a server, for a notification: VS Code would turn `[text](command:id)` in it
 * into a link that runs the command.
 */
export function plainText(text: string): string {
  return text.replaceAll('](', '] (');
}
