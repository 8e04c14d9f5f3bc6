import type { ScriptStep } from './compose.ts'

/** A step that runs by itself. */
export interface SingleStep {
  /** The title in the output, `== 1/2 name`. */
  title: string
  command: string
}

/**
 * The text of several steps for Windows. Its OpenSSH gives what runs to cmd or to PowerShell, nobody says
 * to which, and cmd reads no more than a line: so each step is a line and a program of its own, and none
 * follows one that failed. A single step stands as it is.
 */
export function singleStepsText(steps: readonly ScriptStep[]): string {
  const [only, other] = steps
  if (only && !other) return only.command
  return steps
    .map(({ name, command }, at) => `${MARK}${titleOf(name.replace(/\s+/g, ' '), at, steps.length)}\n${command}`)
    .join('\n')
}

/** The steps of such a text; undefined for any other. */
export function singleStepsOf(text: string): SingleStep[] | undefined {
  if (!text.startsWith(MARK)) return undefined
  const lines = text.split('\n')
  const amount = lines.length / 2
  const steps = Array.from({ length: Math.ceil(amount) }, (_, at) => {
    const [mark = '', command = ''] = lines.slice(2 * at, 2 * at + 2)
    return { title: mark.slice(MARK.length), command, isRight: mark.startsWith(`${MARK}${titleOf('', at, amount)}`) }
  })
  return amount > 1 && steps.every(({ isRight }) => isRight)
    ? steps.map(({ title, command }) => ({ title, command }))
    : undefined
}

/** What no shell runs. */
const MARK = '# '
const titleOf = (name: string, at: number, amount: number) => `== ${at + 1}/${amount} ${name}`
