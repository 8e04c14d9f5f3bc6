/** Keys that empty the line that is being edited on a machine. */
export interface ClearKeys {
  /** A line of one row, of which nothing is run. */
  line: Buffer
  /** For another prompt, once the line is empty. */
  onward?: Buffer
  /**
   * Keys for a line that has several rows, or is searched for: text that a return would run all the
   * same.
   */
  rows: Buffer
}

const INTERRUPT = Buffer.from('\x03')
/** To the end, erase to the beginning, and a return for another prompt. */
export const SHELL_KEYS: ClearKeys = {
  line: Buffer.from('\x05\x15'),
  onward: Buffer.from('\r'),
  rows: INTERRUPT,
}
/**
 * The contract has a return behind it. But a shell that is busy may read that before it hears of the
 * interrupt, and then runs the line; shells prompt again without it.
 */
const TELNET: ClearKeys = { line: INTERRUPT, rows: INTERRUPT }
/** Network equipment has lines of one row alone. */
const HUAWEI_TELNET = alike('\x05\x15')
const H3C_SSH = alike('\x05\x18')

/** By protocol and the platform's name (docs/rules/gateway.md#command_filter). */
export function clearKeysOf(protocol: 'ssh' | 'telnet', platform = ''): ClearKeys {
  if (protocol === 'telnet') return /huawei/i.test(platform) ? HUAWEI_TELNET : TELNET
  return /h3c/i.test(platform) ? H3C_SSH : SHELL_KEYS
}

function alike(keys: string): ClearKeys {
  const bytes = Buffer.from(keys)
  return { line: bytes, rows: bytes }
}
