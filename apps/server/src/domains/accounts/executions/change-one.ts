import { eq, sql } from 'drizzle-orm'
import { unlessAnotherIsAtIt } from '../../../kernel/database/locks.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { generatePassword } from '../rotation/generate-password.ts'
import { type ChangeTask, type OpenedTask, openTask } from '../rotation/open-task.ts'
import { type Outcome, rotate, type Secrets, settle } from '../rotation/protocol.ts'
import { RotationError } from '../rotation/rotation-error.ts'
import { accountsChangeExecution, accountsChangeTask } from '../tables.ts'
import { passwordRules, type StoredRules } from './stored-rules.ts'

/** The values to which a run changes accounts; its secrets are in clear, in memory alone. */
export interface ChangeRequest {
  isRehearsal: boolean
  /** New ones for each account, or the same for all. */
  secrets(): Secrets
  /** Whether all are to have the same. */
  isSame: boolean
  keyStrategy: string
  example: string | undefined
}

/** How long nobody can know whether a change that was cut short still arrives. */
const ARRIVES_SECONDS = 15 * 60
const FIRST_PROBE_SECONDS = 300
const MAX_PROBE_SECONDS = 86_400
/** Tries until a person has to look: twice as far apart each time, and once a day in the end, for a week. */
const MOST_PROBES = 14

export async function changeRequestOf(kernel: Kernel, execution: string): Promise<ChangeRequest | undefined> {
  const [row] = await kernel.db.select().from(accountsChangeExecution).where(eq(accountsChangeExecution.id, execution))
  if (!row) return undefined
  const { is_password, is_ssh_key, password_strategy, password_rules, ssh_key_strategy, public_key } =
    row.plan_snapshot as Record<string, unknown>
  const open = kernel.secrets.open('job', `run ${execution} of a plan`)
  const rules = passwordRules({ length: 30, ...(password_rules as Partial<StoredRules> | undefined) })
  const isSame = password_strategy !== 'random_all'
  const same = is_password && isSame && row.password_sealed ? open(row.password_sealed) : undefined
  const private_key = is_ssh_key && row.private_key_sealed ? open(row.private_key_sealed) : undefined
  const aPassword = () => (is_password ? (same ?? generatePassword(rules)) : undefined)
  return {
    isRehearsal: row.is_rehearsal,
    isSame,
    keyStrategy: String(ssh_key_strategy),
    example: aPassword(),
    secrets: () => ({
      password: aPassword(),
      private_key,
      public_key: private_key && String(public_key),
    }),
  }
}

export interface TaskEnd {
  state: 'succeeded' | 'failed' | 'unknown'
  /** Whether a new secret was sent to the target. */
  wasSent: boolean
  error?: RotationError
}

/** Changes the secret of one account, or tries everything but that, and stores what became of it. */
export function changeOne(kernel: Kernel, task: ChangeTask, request: ChangeRequest): Promise<TaskEnd> {
  return attempt(kernel, task, { ...request, sends: true }, (opened) =>
    request.isRehearsal ? rehearse(opened) : rotateTo(opened, request),
  )
}

/** Finds out which secret works, of an account whose change was cut short. */
export function settleOne(kernel: Kernel, task: ChangeTask): Promise<TaskEnd> {
  const manner = { keyStrategy: '', example: undefined, sends: false }
  return attempt(kernel, task, manner, async ({ ledger, target }) => {
    if (await ledger.candidate())
      return settle(ledger, target, new RotationError((await isOver(kernel, task)) ? 'not_changed' : 'data_not_sent'))
    // Promoted and noted in one transaction, then cut short; else it never came so far.
    if (task.step === 'keep_auth') return { state: 'succeeded', secrets: {} }
    return { state: 'failed', error: new RotationError('interrupted'), wasSent: false }
  })
}

/** Whether what was sent cannot arrive any more. By the database's clock: another node may have sent it. */
async function isOver({ db }: Kernel, { id }: ChangeTask): Promise<boolean> {
  const { rows } = await db.execute<{ is_over: boolean | null }>(sql`
    SELECT date_start < now() - make_interval(secs => ${ARRIVES_SECONDS}) AS is_over FROM accounts_change_task WHERE id = ${id}`)
  return rows[0]?.is_over ?? false
}

async function attempt(
  kernel: Kernel,
  task: ChangeTask,
  manner: Pick<ChangeRequest, 'keyStrategy' | 'example'> & { sends: boolean },
  work: (opened: OpenedTask) => Promise<Outcome>,
): Promise<TaskEnd> {
  const { db, pool } = kernel
  const begun = performance.now()
  const store = (values: Partial<ChangeTask>) =>
    db.update(accountsChangeTask).set(values).where(eq(accountsChangeTask.id, task.id))
  const probes = manner.sends ? 0 : task.probes
  const found = await (async (): Promise<TaskEnd> => {
    let opened: OpenedTask | undefined
    try {
      const { account, ledger, target } = await openTask(kernel, task, manner)
      opened = { account, ledger, target }
      const parts = opened
      // One at a time, on all nodes, whatever plan it is of.
      const outcome = await unlessAnotherIsAtIt(pool, `accounts change ${account}`, async () => {
        // A change that is sent once more may arrive as late as the first.
        await store({
          account,
          state: 'running',
          ...(manner.sends ? { date_start: sql`now()` as unknown as Date } : {}),
        })
        return work(parts)
      })
      return endOf(outcome ?? { state: 'failed', error: new RotationError('busy'), wasSent: false })
    } catch (error) {
      if (error instanceof RotationError) return { state: 'failed', error, wasSent: false }
      kernel.app.log.error({ err: error, task: task.id }, 'change of a secret')
      return { state: 'unknown', error: new RotationError('data_not_sent'), wasSent: true }
    } finally {
      opened?.target.close()
    }
  })()
  const isGivenUp = found.state === 'unknown' && probes >= MOST_PROBES
  const end = isGivenUp ? { ...found, error: new RotationError('given_up', found.error?.detail) } : found
  // Another run has it, and says what becomes of it.
  if (end.error?.code === 'busy' && task.state === 'unknown') return end
  const { state, error } = end
  await store({
    state,
    reason: error?.code ?? '',
    detail: error?.detail ?? '',
    milliseconds: Math.round(performance.now() - begun),
    ...(state === 'succeeded' ? { step: 'finished' as const } : {}),
    ...(state === 'unknown' && !isGivenUp ? nextProbe(probes) : { date_next_probe: null }),
    date_start: sql`coalesce(${accountsChangeTask.date_start}, now())` as unknown as Date,
  })
  return end
}

const endOf = (outcome: Outcome): TaskEnd =>
  outcome.state === 'succeeded' ? { state: 'succeeded', wasSent: true } : { wasSent: true, ...outcome }

/** Later each time: machines lock accounts that fail to log in too often. */
const nextProbe = (probes: number) => ({
  probes: probes + 1,
  date_next_probe:
    sql`now() + make_interval(secs => ${Math.min(FIRST_PROBE_SECONDS * 2 ** probes, MAX_PROBE_SECONDS)})` as unknown as Date,
})

/** A candidate of an earlier run is brought to its end first: it may be on the target already. */
async function rotateTo({ ledger, target }: OpenedTask, request: ChangeRequest): Promise<Outcome> {
  const wanted = request.secrets()
  const outcome = await rotate(ledger, target, wanted)
  const isOther = outcome.state === 'succeeded' && outcome.secrets.password !== wanted.password
  return request.isSame && isOther ? rotate(ledger, target, wanted) : outcome
}

/** Everything but the change. What is wrong is said as it would be. */
async function rehearse({ ledger, target }: OpenedTask): Promise<Outcome> {
  await ledger.step('preflight_check')
  await target.preflight()
  return { state: 'succeeded', secrets: {} }
}
