import { randomBytes } from 'node:crypto'
import type { Program } from '../kinds/terminal/streams.ts'
import { type MachineInputs, preludeOf } from './hand-over.ts'

/** The exit code of a shell that did not get its script whole. */
const NOT_WHOLE = 125

/** A program that reads what it runs from its input, so that none of it is in a command line. */
export interface FedProgram {
  program: Program
  input: Buffer
  /** Whether it ran nothing, as it did not get all of its input; by what it wrote to stderr. */
  gotTooLittle(exitCode: number | undefined, stderr: string): boolean
}

/**
 * A shell that reads its script from its input, to the byte, and runs it without any. The script ends
 * with a mark: one that a lost connection has cut is not run in part. Whatever becomes of it, the
 * folder of the files goes with the shell.
 */
export function fedProgram(handed: MachineInputs, command: string): FedProgram {
  const mark = randomBytes(12).toString('hex')
  const input = Buffer.from(`${preludeOf(handed)}${command}\n${mark}`)
  const leaves = handed.files.length
    ? `trap "rm -rf ${handed.folder}" EXIT; trap "exit 129" HUP; trap "exit 143" TERM; `
    : ''
  const reads = `S=$(dd bs=1 count=${input.length} 2>/dev/null)`
  const runs = `case "$S" in *${mark}) eval "\${S%${mark}}" </dev/null;; *) echo ${mark} >&2; exit ${NOT_WHOLE};; esac`
  return {
    program: { command: Buffer.from(`exec sh -c '${leaves}${reads}; ${runs}'`), isFed: true },
    input,
    gotTooLittle: (exitCode, stderr) => exitCode === NOT_WHOLE && stderr.includes(mark),
  }
}
