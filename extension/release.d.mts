export function isPrerelease(version: string): boolean;
export function checkedRelease(release: {
  readonly tag: string;
  readonly version: string;
  readonly changelog: string;
}): { readonly version: string; readonly prerelease: boolean };
