import type { RunbookStep } from '@sallyport/contract/resources/ops/runbook.ts'
import { FILES_FOLDER } from '../run-inputs.ts'
import { quoted } from './template.ts'

/** As a plan and a check take them: with their commands, whatever their kind. */
export type ScriptStep = Pick<RunbookStep, 'name' | 'command'>

/**
 * The command of a step. A file is sent before the text runs, into a folder of the run that nobody else
 * may look into; the step writes it beside its place, with mode and owner, and moves it there: what was
 * there before stays whole until then. `install` and `mv` would put it into a folder that has its name.
 */
export function commandOf({ kind, command, path = '', mode, owner = '' }: RunbookStep, at: number): string {
  if (kind !== 'file') return command
  const [user, group] = owner.split(':')
  const whose = [...(user ? [`-o ${user}`] : []), ...(group ? [`-g ${group}`] : [])]
  const place = quotedPath(path)
  // A path with a name that nobody could know before.
  const beside = `${place}".\${${FILES_FOLDER}##*-}"`
  const install = ['install', '-m', mode || FILE_MODE, ...whose, `"$${FILES_FOLDER}/${at + 1}"`, beside].join(' ')
  return [
    `if [ -d ${place} ]; then echo ${quoted(`${path}: this is a folder`)} >&2; exit 1; fi`,
    `${install} && mv -f ${beside} ${place} || { rm -f ${beside}; exit 1; }`,
  ].join('\n')
}

/** Mode of a file whose step has none. */
export const FILE_MODE = '0644'

const quotedPath = (path: string) => (/^[\w./-]+$/.test(path) ? path : quoted(path))

/**
 * One script of all steps, for a Bourne shell: each in a subshell of its own under its name, and none
 * after one that failed, whose exit code is the script's. A single step stands as it is. What people
 * read in the preview, what the command rules judge, what runs and what is stored is this text.
 */
export function scriptOf(steps: readonly ScriptStep[]): string {
  const [only, other] = steps
  if (only && !other) return only.command
  return steps
    .map(
      ({ name, command }, at) =>
        `echo ${quoted(`== ${at + 1}/${steps.length} ${name.replace(/\s+/g, ' ')}`)}\n(\n${command}\n)\ncode=$?; test $code = 0 || exit $code\n`,
    )
    .join('')
}
