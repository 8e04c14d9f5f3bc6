import { BATCH_COMMAND_MAX, type CommandOutcomes } from '@sallyport/contract/resources/ops/command-execution.ts'
import { z } from 'zod'
import type { Agent } from '../agent.ts'
import { cut } from '../frame.ts'
import { type ToolAnswer, tool } from './tool.ts'
import { WAIT, waitUntil } from './waiting.ts'

/** Machines of one run of an agent. */
const MACHINES_MAX = 20
export const MACHINES = z
  .array(z.guid())
  .min(1)
  .max(MACHINES_MAX)
  .describe('Ids of machines, as find_targets answers them')
/** Characters of output of all machines in one answer, and of a reason. */
const OUTPUT_LENGTH = 60_000
const REASON_LENGTH = 2000

export const runCommand = tool({
  name: 'run_command',
  title: 'Run a command',
  does: 'Runs a command, without a terminal and without input, on machines that are granted to you. Rules of commands may refuse it, or have people confirm it first: then its state is held, and you call wait_for_run. It is recorded.',
  acts: true,
  input: z.strictObject({
    machines: MACHINES,
    account: z.guid().describe('Id of an account of SSH, as list_accounts answers it'),
    command: z
      .string()
      .min(1)
      .max(BATCH_COMMAND_MAX)
      .refine((text) => !/(?![\n\t])\p{Cc}/u.test(text), 'Control characters are not allowed'),
    seconds: WAIT,
  }),
  isWait: true,
  asks: ({ machines }) => machines.length,
  async work(agent, { machines, account, command, seconds }) {
    const { id } = await agent.ask('beginRun', { body: { hosts: machines, run_as: account, command } })
    return outcomeOf(agent, id, seconds, waitsForPeople)
  },
})

export const waitForRun = tool({
  name: 'wait_for_run',
  title: 'Wait for a run',
  does: 'Waits until a run is over on all machines, for some seconds at most, and answers what came of it so far. Call it again while it is not finished.',
  acts: false,
  isWait: true,
  input: z.strictObject({ run: z.guid(), seconds: WAIT }),
  asks: () => MACHINES_MAX,
  work: (agent, { run, seconds }) => outcomeOf(agent, run, seconds),
})

export const endRun = tool({
  name: 'end_run',
  title: 'End a run',
  does: 'Ends your run: where it has begun it is told to end, elsewhere it never begins.',
  acts: true,
  isWait: true,
  input: z.strictObject({ run: z.guid() }),
  asks: () => 0,
  async work(agent, { run }) {
    await agent.ask('endRun', { in: { id: run } })
    return outcomeOf(agent, run, 5)
  },
})

/** Results of a run so far, once they are enough or the time is over. */
export async function outcomeOf(
  agent: Agent,
  run: string,
  seconds: number,
  isEnough = ({ is_finished }: CommandOutcomes) => is_finished,
): Promise<ToolAnswer> {
  const look = (): Promise<CommandOutcomes> => agent.ask('outcomes', { in: { id: run } })
  const found = await waitUntil(agent, seconds, look, isEnough)
  // Machines that answered alike have an output in common, which the answer has for each of them.
  const share = Math.floor(OUTPUT_LENGTH / 2 / Math.max(1, found.hosts.length))
  const outputs = Object.fromEntries(
    Object.entries(found.outputs).map(([key, { stdout, stderr, is_cut }]) => {
      const [out, err] = [cut(stdout, share), cut(stderr, share)]
      return [key, { stdout: out.text, stderr: err.text, is_cut: is_cut || out.is_cut || err.is_cut }]
    }),
  )
  const machines = found.hosts.map(({ asset, name, state, code, error, ticket, output }) => ({
    id: asset,
    name,
    state,
    exit_code: code,
    ...(error ? { reason: cut(error, REASON_LENGTH).text } : {}),
    ...(ticket ? { ticket } : {}),
    ...(output ? { output: outputs[output] } : {}),
  }))
  const { is_finished } = found
  const refused = found.error ? { refused: cut(found.error, REASON_LENGTH).text } : {}
  return { data: { run, is_finished, ...refused, machines }, rows: machines.length, handle: { run, is_finished } }
}

/** Nothing runs any more, or only people are waited for, of whom the agent is to tell now. */
export const waitsForPeople = ({ is_finished, hosts }: CommandOutcomes) =>
  is_finished ||
  (hosts.some(({ state }) => state === 'held') &&
    hosts.every(({ state }) => state !== 'waiting' && state !== 'running'))
