import type { RunbookStep } from '@sallyport/contract/resources/ops/runbook.ts'
import { quoted } from './template.ts'

/**
 * One script of all steps, for a Bourne shell: each in a subshell of its own under its name, and none
 * after one that failed, whose exit code is the script's. A single step stands as it is. What people
 * read in the preview, what the command rules judge, what runs and what is stored is this text.
 */
export function scriptOf(steps: readonly RunbookStep[]): string {
  const [only, other] = steps
  if (only && !other) return only.command
  return steps
    .map(
      ({ name, command }, at) =>
        `echo ${quoted(`== ${at + 1}/${steps.length} ${name.replace(/\s+/g, ' ')}`)}\n(\n${command}\n)\ncode=$?; test $code = 0 || exit $code\n`,
    )
    .join('')
}
