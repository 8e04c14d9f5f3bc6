import type { Device } from '@sallyport/contract/resources/assets/platform.ts'

/** Commands and prompts of a kind of network equipment, by its maker's command reference. */
export interface Dialect {
  /** Asks for a higher level, with its number behind it; the device then asks for that level's password. */
  rise: string
  /** Whether it has worked, by what the device said and by its prompt. */
  hasRisen(rows: readonly string[], prompt: string): boolean
  /** Keeps the device from stopping at the end of each page. */
  noPaging: string
  /** The prompt, alone in its row. `name`: the device's; `within`: a part of its configuration is open. */
  prompt: RegExp
}

/** Huawei's and H3C's have one root. */
const VRP = {
  rise: 'super',
  hasRisen: (rows: readonly string[]) => rows.some((row) => /user privilege (level|role)?/i.test(row)),
  prompt: /^(?:<(?<name>[^<>\s]{1,64})>|\[[~*]?(?<within>[^[\]\s]{1,128})\]) ?$/,
}

const DIALECTS: Readonly<Record<Device, Dialect>> = {
  cisco: {
    rise: 'enable',
    hasRisen: (_said, prompt) => prompt.trimEnd().endsWith('#'),
    noPaging: 'terminal length 0',
    prompt: /^(?<name>[\w.:/@-]{1,64})(?<within>\([^()\n]{1,64}\))?[>#] ?$/,
  },
  huawei: { ...VRP, noPaging: 'screen-length 0 temporary' },
  h3c: { ...VRP, noPaging: 'screen-length disable' },
}

export const dialectOf = (device: Device): Dialect => DIALECTS[device]

/** At the end of a page: a space shows the next one. */
export const PAGER = /^(?: ?--More--(?: ?\(\d+%\))?| *---- ?More ?----|<--- More --->) *$/i

/** Choices of an answer, as makers write them; an answer that is taken for no answer may follow. */
const ANSWERS = String.raw`[[(]y(?:es|\(yes\))?/\[?n[^\]]{0,40}[\])]+|\[(?:confirm|yes|no)\]|\]\?|password:|enter key\)`

/** Something that a command asks and nobody answers, at the end of its row. */
export const QUESTION = new RegExp(String.raw`(?:${ANSWERS})[:?]? *(?:[[(][yn][\])])?[:?]? *$`, 'i')

/** How devices begin the row in which they refuse a command: they have no exit codes. */
export const FAULT =
  /^ *(?:% ?(?:invalid|incomplete|ambiguous|unknown|unrecognized|error|bad|can(?:no|')t|command|wrong|too many|access denied|authorization|permission|not |no such|illegal|failed)|error ?:|command authorization failed|permission denied)/i
