import type { CommandOutcomes, HostState } from '@sallyport/contract/resources/ops/command-execution.ts'
import { plainOutput } from '../plain-output.ts'

export type Host = CommandOutcomes['hosts'][number]

/** Machines on which the same happened: the same state, exit code, words and output. */
export interface OutcomeGroup {
  key: string
  state: HostState
  code: number | null
  error: string
  output: CommandOutcomes['outputs'][string] | undefined
  hosts: Host[]
}

/** The groups of what is over or waits for others, the largest first. */
export function outcomeGroups({ hosts, outputs }: Pick<CommandOutcomes, 'hosts' | 'outputs'>): OutcomeGroup[] {
  const over = hosts.filter(({ state }) => state !== 'waiting' && state !== 'running')
  const groups = Map.groupBy(over, ({ state, code, error, output }) => [state, code, error, output].join('\n'))
  return [...groups]
    .map(([key, same]) => {
      const { state, code, error, output } = same[0] as Host
      return { key, state, code, error, output: outputs[output], hosts: same }
    })
    .sort((one, other) => other.hosts.length - one.hosts.length)
}

/** A line of an output, and whether the output that most machines gave has it too. */
export interface OutcomeLine {
  text: string
  isOther: boolean
}

/** The lines of a text, compared with another. */
export function linesOf(text: string, most: string): OutcomeLine[] {
  const known = new Set(most.split('\n'))
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ text: line, isOther: !known.has(line) }))
}

/** The last line that says something, as plain text. */
export function lastLineOf(text: string): string {
  return plainOutput(text).trimEnd().split('\n').at(-1) ?? ''
}

/** Everything as one text, to be kept as a file. */
export function textOf(groups: readonly OutcomeGroup[]): string {
  return groups
    .map(({ hosts, code, error, output }) => {
      const head = `# ${hosts.map(({ name }) => name).join(', ')} | ${code === null ? error : `rc=${code}`}`
      return [head, output?.stdout, output?.stderr].filter(Boolean).join('\n')
    })
    .join('\n\n')
}
