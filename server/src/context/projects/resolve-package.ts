/** Where a name leads: to files of the workspace, most likely first; nowhere for the name of another package. */
export type ResolvePackage = (specifier: string) => Promise<readonly string[]>;
