import { PASSWORD_STRATEGIES, TRIGGERS } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { sql } from 'drizzle-orm'
import { type Say, translate } from '../../../kernel/i18n/translate.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { sayIn } from '../mail-files.ts'
import { REASONS, type Reason } from '../rotation/rotation-error.ts'
import type { accountsChangeExecution, accountsChangeTask, PasswordStrategy } from '../tables.ts'

export type Execution = StoredRow<typeof accountsChangeExecution>
export type Task = StoredRow<typeof accountsChangeTask>

/** The description of a run in words, for accounts of any kind. */
export const executionInWords = {
  fields: ['username', 'password_strategy', 'password_strategy_display', 'trigger_display', 'timedelta'],
  load: async (rows: readonly Execution[], { call }: ReadContext) =>
    rows.map(({ plan_snapshot, trigger, date_start, date_finished }) => {
      const { username, password_strategy } = plan_snapshot
      const until = date_finished ?? new Date()
      return {
        ...{ username, password_strategy },
        password_strategy_display: translate(
          call.language,
          PASSWORD_STRATEGIES[String(password_strategy) as PasswordStrategy] ?? '',
        ),
        trigger_display: translate(call.language, TRIGGERS[trigger]),
        timedelta: (until.getTime() - date_start.getTime()) / 1000,
      }
    }),
} as const

/** The fields of the snapshot as they are answered. */
export const fromSnapshot = <const N extends string>(...fields: N[]) => ({
  fields,
  load: async (rows: readonly Execution[]) =>
    rows.map(
      ({ plan_snapshot }) =>
        Object.fromEntries(fields.map((name) => [name, plan_snapshot[name]])) as { readonly [K in N]?: unknown },
    ),
})

/** The number of accounts in each state, and the recipients. */
export const executionResults = {
  fields: ['result_summary', 'recipients'],
  load: async (rows: readonly Execution[], { db }: ReadContext) => {
    const { rows: counts } = await db.execute<{ execution: string; state: string; count: number }>(sql`
      SELECT execution, state, count(*)::int AS count FROM accounts_change_task
      WHERE execution = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[]) GROUP BY execution, state`)
    return rows.map(({ id, plan_snapshot }) => {
      const own = counts.filter(({ execution }) => execution === id)
      const of = (...states: string[]) =>
        own.reduce((sum, { state, count }) => (states.length && !states.includes(state) ? sum : sum + count), 0)
      return {
        result_summary: {
          ...{ succeed: of('succeeded'), failed: of('failed', 'skipped', 'unknown'), total: of() },
          ...{ unknown: of('unknown'), waiting: of('waiting', 'running') },
        },
        recipients: Object.values(plan_snapshot.recipients ?? {}),
      }
    })
  },
} as const

/** Why an account is as it is, with what the target said of it: a sentence of ours, or its own words. */
export function whyInWords(say: Say, { reason, detail }: Pick<Task, 'reason' | 'detail'>): string {
  const words = reason && say(REASONS[reason as Reason] ?? reason)
  const more = detail && say(detail)
  return more && more !== words ? say('{{reason}} ({{detail}})', { reason: words, detail: more }) : words
}

/** What became of an account, in words. */
export const taskInWords = {
  fields: ['is_success', 'reason_display', 'timedelta'],
  load: async (rows: readonly Task[], { call }: ReadContext) => {
    const say = sayIn(call.language)
    return rows.map((task) => ({
      is_success: task.state === 'succeeded',
      reason_display: whyInWords(say, task),
      timedelta: (task.milliseconds ?? 0) / 1000,
    }))
  },
} as const
