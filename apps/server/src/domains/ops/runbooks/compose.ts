import { RUNBOOK_FACTS, RUNBOOK_VALUE, type RunbookStep } from '@sallyport/contract/resources/ops/runbook.ts'

/** What is known of a machine, by the names of `RUNBOOK_FACTS`. */
export type HostFacts = Readonly<Record<(typeof RUNBOOK_FACTS)[number], string>>

/** `{{name}}`, `{{host.name}}`; what templates of other tools look like (`{{.Names}}`, `{{json .}}`) is none. */
const NAMED = /\{\{ ?([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?) ?\}\}/g

const isFact = (name: string): name is keyof HostFacts => (RUNBOOK_FACTS as readonly string[]).includes(name)

/** The variables that a text names, without facts of machines. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(NAMED)].map(([, name = '']) => name))].filter((name) => !isFact(name))
}

export const namesFacts = (text: string): boolean => [...text.matchAll(NAMED)].some(([, name = '']) => isFact(name))

/** What is written where variables are named; others, such as facts that differ by machine, stay. */
export function substituted(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(NAMED, (written, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : written))
}

/** Whether a value can stand in a command without a shell reading more in it than a part of a word. */
export const isPlain = (value: string): boolean => RUNBOOK_VALUE.test(value)

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
        `echo ${quoted(`== ${at + 1}/${steps.length} ${name}`)}\n(\n${command}\n)\ncode=$?; test $code = 0 || exit $code\n`,
    )
    .join('')
}

/** One word of a shell, whatever it holds; a name is one line. */
const quoted = (text: string): string => `'${text.replace(/\s+/g, ' ').replaceAll("'", "'\\''")}'`
