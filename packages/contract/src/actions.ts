/** Actions that a permission allows on an asset: one bit mask (docs/rules/perms.md#actions). */
export const ACTION_BITS = {
  all: 255,
  connect: 1,
  upload_file: 2,
  download_file: 4,
  updownload: 6,
  clipboard_copy: 8,
  clipboard_paste: 16,
  clipboard_copy_paste: 24,
} as const

export type ActionName = keyof typeof ACTION_BITS

/** Value → English label, in the order the wire lists them. */
export const ACTION_CHOICES = {
  all: 'All',
  connect: 'Connect',
  upload_file: 'Upload file',
  download_file: 'Download file',
  updownload: 'Upload download',
  clipboard_copy: 'Clipboard copy',
  clipboard_paste: 'Clipboard paste',
  clipboard_copy_paste: 'Clipboard copy paste',
} as const satisfies Record<ActionName, string>

/** Every name whose bits are all set, in wire order. */
export function actionNames(mask: number): ActionName[] {
  return (Object.keys(ACTION_BITS) as ActionName[]).filter((name) => (mask & ACTION_BITS[name]) === ACTION_BITS[name])
}

/** The mask of a list of names. */
export function actionMask(names: readonly ActionName[]): number {
  return names.reduce((mask, name) => mask | ACTION_BITS[name], 0)
}
