import { BATCH_COMMAND_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import type { RunbookRun, RunbookStep, RunbookVariable } from '@sallyport/contract/resources/ops/runbook.ts'
import { type HostFacts, isPlain, NOT_PLAIN, namesFacts, scriptOf, substituted } from '../../domains/ops/index.ts'
import type { Call } from '../../kernel/access/call.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'

/** Characters of all texts of a run, where they differ by machine. */
const TEXTS_MAX = 4_000_000

/** A runbook, as a plan is made of it. */
export interface PlannedRunbook {
  id: string
  name: string
  version: number
  steps: readonly RunbookStep[]
  variables: readonly RunbookVariable[]
}

/** What a run of a runbook would run. */
export interface RunbookPlan {
  runbook: string
  /** Its name, and its version. */
  display: string
  /** With all values, and the names of what differs by machine. */
  command: string
  /** By asset, where the text differs by machine. */
  commands: ReadonlyMap<string, string>
}

/** Plans by the body of the batch command that is made of them: no client can send one. */
const plans = new WeakMap<object, RunbookPlan>()

export const planOf = (body: object): RunbookPlan | undefined => plans.get(body)

/** The batch command of a plan, to be created. */
export function bodyOf(plan: RunbookPlan, { hosts, run_as }: RunbookRun): object {
  const body = { command: plan.command, hosts, run_as }
  plans.set(body, plan)
  return body
}

/**
 * The texts of a run. Throws 400 by field: for values that a shell could read more in than part of a
 * word, and for machines with such facts; 409 where the runbook was changed since somebody read it.
 */
export function planRun(
  call: Call,
  runbook: PlannedRunbook,
  { values, version }: RunbookRun,
  facts: ReadonlyMap<string, HostFacts>,
): RunbookPlan {
  if (version !== undefined && version !== runbook.version)
    throw new AppError(409, 'changed', 'The runbook has been changed meanwhile: look at it again')
  const given = Object.fromEntries(runbook.variables.map(({ name, value }) => [name, values[name] ?? value ?? '']))
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(given, name))
  if (unknown.length)
    throw invalid({ values: `${translate(call.language, 'There is no such variable')}: ${unknown.join(', ')}` })
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    if (value === '') return [[`values.${name}`, 'Needs a value']]
    return isPlain(value) ? [] : [[`values.${name}`, NOT_PLAIN]]
  })
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
  const command = scriptOf(runbook.steps.map(({ name, command }) => ({ name, command: substituted(command, given) })))
  const differs = namesFacts(command)
  const commands = new Map(differs ? [...facts].map(([asset, known]) => [asset, substituted(command, known)]) : [])
  const odd = differs ? [...facts.values()].filter((known) => !Object.values(known).every(isPlain)) : []
  if (odd.length)
    throw invalid({
      hosts: `${translate(call.language, 'Their names hold what a shell would read more in')}: ${odd.map((known) => known['host.name']).join(', ')}`,
    })
  const longest = [command, ...commands.values()].reduce((most, text) => Math.max(most, text.length), 0)
  const all = [...commands.values()].reduce((sum, text) => sum + text.length, 0)
  if (longest > BATCH_COMMAND_MAX || all > TEXTS_MAX)
    throw invalid({ hosts: 'The steps are too long for so many machines: choose fewer' })
  return { runbook: runbook.id, display: `${runbook.name} v${runbook.version}`, command, commands }
}
