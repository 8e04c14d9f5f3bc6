/** X11's numbers of Control, Meta, Alt, Super and Hyper on both sides. */
const COMMANDS: readonly number[] = [0xffe3, 0xffe4, 0xffe7, 0xffe8, 0xffe9, 0xffea, 0xffeb, 0xffec, 0xffed, 0xffee]
const [CONTROLS, ALT_RIGHT, ALT_GR] = [[0xffe3, 0xffe4], 0xffea, 0xfe03]

/**
 * Whether keys that are held make a command of the next, and no character. AltGr makes characters;
 * viewers on Windows tell of it as of Control with the right Alt.
 */
export function isCommand(held: { has(keysym: number): boolean }): boolean {
  const isAltGr = held.has(ALT_GR) || (held.has(ALT_RIGHT) && CONTROLS.some((key) => held.has(key)))
  return COMMANDS.some((key) => held.has(key) && !(isAltGr && (key === ALT_RIGHT || CONTROLS.includes(key))))
}
