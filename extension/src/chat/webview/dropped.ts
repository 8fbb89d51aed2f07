/** The kinds of address lists in a drop from VS Code's explorer or from outside. */
const ADDRESS_TYPES = ['application/vnd.code.uri-list', 'text/uri-list'];

/** Whether the panel answers a drop. Text alone is the browser's: it goes into the input below it. */
export function takesDrop(types: readonly string[]): boolean {
  return types.some((type) => type === 'Files' || ADDRESS_TYPES.includes(type));
}

/** The addresses of the files in a drop; none in one of something else. */
export function droppedAddresses(data: { getData(type: string): string }): readonly string[] {
  const list = ADDRESS_TYPES.map((type) => data.getData(type)).find((each) => each !== '') ?? '';
  return list.split(/\r?\n/).filter((address) => address !== '' && !address.startsWith('#'));
}
