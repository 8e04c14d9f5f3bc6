import type { Runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { z } from 'zod'
import { MACHINES, outcomeOf, waitsForPeople } from './running.ts'
import { line, pageFields, pageRows, tool } from './tool.ts'
import { WAIT } from './waiting.ts'

export const findRunbooks = tool({
  name: 'find_runbooks',
  title: 'Find runbooks',
  does: 'Lists the runbooks of the organization: steps that administrators have written, with the values that they ask for.',
  acts: false,
  input: z.strictObject({ search: line(128).default(''), ...pageFields }),
  asks: pageRows,
  async work({ ask }, query) {
    const { count, results } = (await ask('runbooks', { query })) as { count: number; results: Runbook[] }
    const rows = results.map(({ id, name, comment, version, steps, variables }) => ({
      ...{ id, name, comment, version },
      steps: steps.map((step) => step.name),
      values: variables.flatMap(({ name: value, label, kind, value: usual }) =>
        kind === 'secret' ? [] : [{ name: value, question: label, usual }],
      ),
      uses_passwords: variables.some(({ kind }) => kind === 'secret'),
    }))
    return { data: { count, rows }, rows: rows.length }
  },
})

export const runRunbook = tool({
  name: 'run_runbook',
  title: 'Run a runbook',
  does: 'Runs a runbook on machines that are granted to you, as run_command runs a command. Prefer it to commands of your own. Runbooks that use passwords are refused.',
  acts: true,
  input: z.strictObject({
    runbook: z.guid(),
    version: z.int().min(1).describe('The version that you have read'),
    machines: MACHINES,
    account: z.guid(),
    values: z.record(z.string().max(32), z.string().max(512)).default({}),
    seconds: WAIT,
  }),
  isWait: true,
  asks: ({ machines }) => machines.length,
  async work(agent, { runbook, version, machines, account, values, seconds }) {
    const body = { hosts: machines, run_as: account, values, version }
    const { id } = await agent.ask('runRunbook', { in: { id: runbook }, body })
    return outcomeOf(agent, id, seconds, waitsForPeople)
  },
})
