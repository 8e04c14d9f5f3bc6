/** X11's number of a key, and the name of its place on the keyboard. */
export type Key = readonly [keysym: number, code: string]

const CONTROL: Key = [0xffe3, 'ControlLeft']
const ALT: Key = [0xffe9, 'AltLeft']
/** Keys in the bar of a desktop. */
export const KEYS = {
  ctrlAltDelete: [CONTROL, ALT, [0xffff, 'Delete']],
  ctrlAltBackspace: [CONTROL, ALT, [0xff08, 'Backspace']],
  altTab: [ALT, [0xff09, 'Tab']],
  altF4: [ALT, [0xffc1, 'F4']],
  printScreen: [[0xff61, 'PrintScreen']],
  escape: [[0xff1b, 'Escape']],
  windows: [[0xffeb, 'MetaLeft']],
  v: [[0x76, 'KeyV']],
} as const satisfies Record<string, readonly Key[]>
