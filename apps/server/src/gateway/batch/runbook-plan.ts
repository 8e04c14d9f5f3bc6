import { BATCH_COMMAND_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import {
  RUNBOOK_VALUE,
  type RunbookRun,
  type RunbookStep,
  type RunbookVariable,
} from '@sallyport/contract/resources/ops/runbook.ts'
import { z } from 'zod'
import type { RunInputs } from '../../domains/ops/index.ts'
import {
  commandOf,
  filled,
  fits,
  type HostFacts,
  isFact,
  isValue,
  MISPLACED,
  NO_VALUE,
  namesIn,
  type ScriptStep,
  scriptOf,
  singleStepsText,
  templateOf,
} from '../../domains/ops/runbooks/index.ts'
import type { Call } from '../../kernel/access/call.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'

/** Characters of all texts of a run, where they differ by machine. */
const TEXTS_MAX = 4_000_000

/** By variable. */
export const VALUES = z.record(z.string().max(32), z.string().max(512))

/** A runbook, as a plan is made of it. */
export interface PlannedRunbook {
  id: string
  name: string
  version: number
  steps: readonly RunbookStep[]
  variables: readonly RunbookVariable[]
}

/** The machines of a run, by asset. */
export interface PlannedMachines {
  names: ReadonlyMap<string, string>
  facts: ReadonlyMap<string, HostFacts>
  /** Bases of the platforms: Linux, Windows, … */
  bases: ReadonlyMap<string, string>
  /** Network equipment, to which steps are lines at its prompt. */
  devices: ReadonlySet<string>
}

/** Commands that a run of a runbook would run. */
export interface RunbookPlan {
  runbook: string
  /** Its name, and its version. */
  display: string
  /** With all values, and the names of what differs by machine. */
  command: string
  /** By asset, where the text differs by machine. */
  commands: ReadonlyMap<string, string>
  /** Secrets and files for the machines; undefined for none. */
  handed: RunInputs | undefined
  /** Nobody began it by hand: its owner is notified of its end, however soon that comes. */
  isScheduled?: boolean
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
 * The texts of a run. Throws 400 by field: for values that cannot be written where the steps name
 * them, and for machines with such facts; 409 where the runbook was changed since somebody read it.
 */
export function planRun(
  call: Call,
  runbook: PlannedRunbook,
  { values, version }: RunbookRun,
  { facts, bases, names, devices }: PlannedMachines,
): RunbookPlan {
  if (version !== undefined && version !== runbook.version)
    throw new AppError(409, 'changed', 'The runbook has been changed meanwhile: look at it again')
  const valueFor = ({ name, value }: RunbookVariable) =>
    (Object.hasOwn(values, name) ? values[name] : undefined) ?? value
  const handed = inputsOf(runbook)
  const secrets = new Set(handed?.secrets.map(({ name }) => name))
  const asked = runbook.variables.filter(({ name }) => !secrets.has(name))
  const given = Object.fromEntries(asked.map((variable) => [variable.name, valueFor(variable) ?? '']))
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(given, name))
  if (unknown.length)
    throw invalid({ values: `${translate(call.language, 'There is no such variable')}: ${unknown.join(', ')}` })
  const steps = runbook.steps.map((step, at) => ({ name: step.name, template: templateOf(commandOf(step, at)) }))
  const templates = steps.map(({ template }) => template)
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const fault = value === '' ? 'Needs a value' : faultOf(templates, name, value)
    return fault ? [[`values.${name}`, fault]] : []
  })
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
  const formOf = (asset: string): TextForm =>
    devices.has(asset) ? 'lines' : bases.get(asset) === 'Windows' ? 'single' : 'script'
  const [form = 'script', otherForm] = new Set([...names.keys()].map(formOf))
  const textWith = (known: Readonly<Record<string, string>>, as: TextForm) =>
    TEXTS[as](steps.map(({ name, template }) => ({ name, command: filled(template, { ...given, ...known }, secrets) })))
  const command = textWith({}, otherForm ? 'script' : form)
  const named = [...new Set(templates.flatMap(namesIn))].filter(isFact)
  const odd = [...facts.values()].filter((known) => named.some((name) => faultOf(templates, name, known[name])))
  if (odd.length)
    throw invalid({
      hosts: `${translate(call.language, 'Their names hold what a shell would read more in')}: ${odd.map((known) => known['host.name']).join(', ')}`,
    })
  const differs = named.length > 0 || otherForm !== undefined
  const commands = new Map(differs ? [...facts].map(([asset, known]) => [asset, textWith(known, formOf(asset))]) : [])
  const namesOf = (assets: readonly string[]) => assets.map((asset) => names.get(asset)).join(', ')
  const others = [...bases].flatMap(([asset, base]) => (SHELL_BASES.has(base) ? [] : [asset]))
  const isPlain = (value: string) => RUNBOOK_VALUE.test(value)
  const quotedAt = Object.values(given).every(isPlain)
    ? others.filter((asset) => named.some((name) => !isPlain(facts.get(asset)?.[name] ?? '')))
    : others
  if (quotedAt.length)
    throw invalid({
      hosts: `${translate(call.language, 'Values and names are quoted for Unix shells alone: elsewhere they hold letters, digits and _ . , : / @ % + = - only')}: ${namesOf(quotedAt)}`,
    })
  if (handed && others.length)
    throw invalid({
      hosts: `${translate(call.language, 'Files and secrets are handed to Unix machines alone')}: ${namesOf(others)}`,
    })
  const single = [...names.keys()].filter((asset) => formOf(asset) === 'single')
  const long = runbook.steps.filter((step, at) => /[\r\n]/.test(commandOf(step, at))).map(({ name }) => name)
  if (single.length && long.length)
    throw invalid({
      hosts: `${translate(call.language, 'On Windows a step is one line: {{steps}}', { steps: long.join(', ') })}: ${namesOf(single)}`,
    })
  const longest = [command, ...commands.values()].reduce((most, text) => Math.max(most, text.length), 0)
  const all = [...commands.values()].reduce((sum, text) => sum + text.length, 0)
  if (longest > BATCH_COMMAND_MAX || all > TEXTS_MAX)
    throw invalid({ hosts: 'The steps are too long for so many machines: choose fewer' })
  return { runbook: runbook.id, display: `${runbook.name} v${runbook.version}`, command, commands, handed }
}

/** How a machine gets several steps. */
type TextForm = 'script' | 'lines' | 'single'

const TEXTS: Readonly<Record<TextForm, (steps: readonly ScriptStep[]) => string>> = {
  script: scriptOf,
  lines: (steps) => steps.map(({ command }) => command).join('\n'),
  single: singleStepsText,
}

/** Platforms whose scripts are those of a Bourne shell (docs/rules/assets.md#platform). */
const SHELL_BASES: ReadonlySet<string> = new Set(['Linux', 'Unix', 'MacOS', 'BSD'])

function inputsOf({ steps, variables }: PlannedRunbook): RunInputs | undefined {
  const secrets = variables.flatMap(({ kind, name, account }) =>
    kind === 'secret' && account ? [{ name, account }] : [],
  )
  const files = steps.flatMap(({ kind, file, path }, at) =>
    kind === 'file' && file && path ? [{ step: at + 1, file, path }] : [],
  )
  return secrets.length || files.length ? { secrets, files } : undefined
}

/** Why a value cannot be written at the places of its name, in English; undefined where it can. */
function faultOf(templates: Parameters<typeof fits>[0], name: string, value: string): string | undefined {
  if (!isValue(value)) return NO_VALUE
  return fits(templates, name, value) ? undefined : MISPLACED
}
